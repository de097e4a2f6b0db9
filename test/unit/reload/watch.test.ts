import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { watchSettings } from '../../../src/reload/watch.ts';

const [SETTLE_MS, LOOK_MS] = [50, 100];

let home: string;
let file: string;
let watching: { end(): Promise<void> } | undefined;
let told: string[];
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'writ-watch-'));
  mkdirSync(path.join(home, 'etc'));
  mkdirSync(path.join(home, 'own', 'config', 'tool-bindings'), { recursive: true });
  file = path.join(home, 'etc', 'writ.toml');
  writeFileSync(file, 'a = 1');
  told = [];
});
afterEach(async () => {
  await watching?.end();
  rmSync(home, { recursive: true });
});

/** Follows the files; resolves when the state of the start was told. */
async function watch(lookMs = LOOK_MS): Promise<void> {
  watching = watchSettings({
    watched: { file, registryDir: path.join(home, 'own') },
    settleMs: SETTLE_MS,
    lookMs,
    changed: () => told.push('changed'),
    missing: () => told.push('missing'),
    trouble: (error) => told.push(String(error)),
  });
  await tells(['changed']);
  told = [];
}
const tells = (expected: readonly string[]) => expect.poll(() => told).toEqual(expected);
const write = (name: string, text: string): string => {
  const written = path.join(home, name);
  writeFileSync(written, text);
  return written;
};

describe('a watch of the files of settings', () => {
  it.each<[string, () => void]>([
    ['that is written in place', () => writeFileSync(file, 'a = 2')],
    ['over which an editor renames another', () => renameSync(write('etc/.writ.toml.swp', 'a = 2'), file)],
    [
      'whose directory is exchanged',
      () => {
        mkdirSync(path.join(home, 'next'));
        write('next/writ.toml', 'a = 2');
        renameSync(path.join(home, 'etc'), path.join(home, 'old'));
        renameSync(path.join(home, 'next'), path.join(home, 'etc'));
      },
    ],
    ['that becomes a link to another', () => [write('other.toml', 'a = 2'), unlinkSync(file), symlinkSync(path.join(home, 'other.toml'), file)]],
    ['that becomes a directory', () => [unlinkSync(file), mkdirSync(file)]],
    ['of a binding that comes', () => write('own/config/tool-bindings/x.json', '{}')],
  ])('tells once of a file %s', async (_what, change) => {
    await watch();
    change();
    await tells(['changed']);
    // What follows is told as the next change, and not as the second of this one.
    rmSync(file, { recursive: true });
    await tells(['changed', 'missing']);
  });

  it('tells of a link on the way that leads elsewhere, as a mounted ConfigMap is changed', async () => {
    for (const [name, text] of Object.entries({ one: 'a = 1', two: 'a = 2' })) {
      mkdirSync(path.join(home, name));
      write(`${name}/writ.toml`, text);
    }
    symlinkSync('one', path.join(home, '..data'));
    file = path.join(home, '..data', 'writ.toml');
    await watch();
    symlinkSync('two', path.join(home, '..next'));
    renameSync(path.join(home, '..next'), path.join(home, '..data'));
    await tells(['changed']);
  });

  it('tells once of a file that is gone or empty, and of the next one that is not', async () => {
    await watch();
    unlinkSync(file);
    await tells(['missing']);
    writeFileSync(file, '');
    truncateSync(file);
    writeFileSync(file, 'a = 2');
    await tells(['missing', 'changed']);
  });

  it('tells of one settled change however many writes it has', async () => {
    await watch();
    for (let n = 2; n < 200; n += 1) writeFileSync(file, `a = ${n}`);
    await tells(['changed']);
    unlinkSync(file);
    await tells(['changed', 'missing']);
  });

  it('hears of a change by an event, long before it looks', async () => {
    await watch(3_600_000);
    // The directory is watched a moment after the start.
    await expect
      .poll(
        () => {
          writeFileSync(file, `a = ${process.hrtime.bigint()}`);
          return told.length;
        },
        { interval: 500 },
      )
      .toBeGreaterThan(0);
  });

  it('tells nothing of other files beside it, and nothing after its end', async () => {
    await watch();
    write('etc/journal.db', 'x');
    write('etc/x.json', '{}');
    await watching?.end();
    writeFileSync(file, 'a = 2');
    expect(told).toEqual([]);
  });
});
