import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { scriptArgs } from '../../support/compiled/script.ts';

/** Where nothing can be written: every write says that the disk is full. */
const full = openSync('/dev/full', 'w');
afterAll(() => closeSync(full));

const writ = (words: readonly string[], stdout: number | 'pipe', stderr: number | 'pipe') =>
  spawnSync(process.execPath, scriptArgs(new URL('../../../src/bin/writ.ts', import.meta.url), words), {
    stdio: ['ignore', stdout, stderr],
    encoding: 'utf8',
  });

describe('a command whose output cannot be written', () => {
  it.each([['--help'], ['--version'], ['key', 'create', '--help']])('ends with 3 and says why, where that can be (%s %s %s)', (...words) => {
    const { status, stderr } = writ(words, full, 'pipe');
    expect([status, stderr]).toEqual([3, expect.stringMatching(/^writ: what there is to say cannot be written: ENOSPC.*\(STORAGE_UNAVAILABLE\)\n$/)]);
    expect(writ(words, full, full).status).toBe(3);
  });

  it('ends as ever where only its errors cannot be written', () => {
    expect(writ(['--version'], 'pipe', full).status).toBe(0);
  });
});
