import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { needRoom, openDataSets } from '../../../../bench/search-executor/sets.ts';

const Facts = z.object({ files: z.number() });
let home: string;
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'writ-sets-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Makes one file, and counts how often it was asked to. */
function maker() {
  const made: string[] = [];
  const make = (folder: string) => {
    made.push(folder);
    writeFileSync(path.join(folder, 'one'), '', { flag: 'wx' });
    return { files: made.length };
  };
  return { made, make };
}

describe('data sets', () => {
  it('are made once and taken again by a later run with the same recipe', async () => {
    const { made, make } = maker();
    await openDataSets(home).get('tree', { count: 1 }, Facts, make);
    const again = await openDataSets(home).get('tree', { count: 1 }, Facts, make);
    expect(again).toEqual({ folder: path.join(home, 'tree'), facts: { files: 1 } });
    expect(made).toHaveLength(1);
  });

  it('are made anew for another recipe, and after a run that was ended in between', async () => {
    const { made, make } = maker();
    const sets = openDataSets(home);
    const ended = async (folder: string): Promise<{ files: number }> => {
      make(folder);
      throw new Error('ended');
    };
    await expect(sets.get('tree', { count: 1 }, Facts, ended)).rejects.toThrow('ended');
    await sets.get('tree', { count: 1 }, Facts, make);
    await sets.get('tree', { count: 2 }, Facts, make);
    expect(made).toHaveLength(3);
  });

  it('leave alone what was not made by the benchmark', async () => {
    mkdirSync(path.join(home, 'tree'));
    writeFileSync(path.join(home, 'tree', 'thesis.txt'), '');
    await expect(openDataSets(home).get('tree', {}, Facts, maker().make)).rejects.toThrow('not made by this bench');
    expect(readdirSync(path.join(home, 'tree'))).toEqual(['thesis.txt']);
  });

  it('are removed from a directory of the caller, which stays with the rest of it', async () => {
    writeFileSync(path.join(home, 'mine'), '');
    const sets = openDataSets(home);
    await sets.get('tree', {}, Facts, maker().make);
    sets.remove();
    expect(readdirSync(home)).toEqual(['mine']);
  });

  it('lie in a temporary directory otherwise, which is removed whole', async () => {
    const sets = openDataSets(undefined);
    await sets.get('tree', {}, Facts, maker().make);
    sets.remove();
    expect(existsSync(sets.directory)).toBe(false);
  });

  it('are not begun where there is no room', () => {
    expect(() => needRoom(home, 1, 1)).not.toThrow();
    expect(() => needRoom(home, Number.MAX_SAFE_INTEGER, 1)).toThrow('--data');
  });
});
