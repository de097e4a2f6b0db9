import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_DENIED_PATTERNS } from '../../../src/content-search/search/sandbox.ts';
import { scriptArgs } from '../../support/compiled/script.ts';
import { type HostsUnderTest, hostsHere } from '../../support/content/index-damage-host.ts';
import { hostsSettings, treesOf } from '../../support/content/index-host.ts';
import { realBackends, temporaryDirectory } from '../../support/content/rig.ts';
import { inMountNamespace } from '../../support/mounts.ts';

let folder: string;
let host: HostsUnderTest;
beforeAll(async () => {
  folder = temporaryDirectory('other-mounts');
  const root = path.join(folder, 'root');
  mkdirSync(path.join(folder, 'cache'), { mode: 0o700 });
  for (const name of ['a', 'b']) {
    mkdirSync(path.join(root, name), { recursive: true });
    writeFileSync(path.join(root, name, 'one'), 'needle\n');
    writeFileSync(path.join(root, name, 'two'), 'hay\n');
  }
  host = await hostsHere(hostsSettings(path.join(folder, 'cache')), treesOf(root, DEFAULT_DENIED_PATTERNS), (await realBackends()).rg);
  await host.settled('COMPLETE');
});
afterAll(async () => {
  await host.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Without root, a mount namespace comes with a user namespace, in which owners are others. */
const sameUsers = process.getuid?.() === 0;

describe('a search in another mount namespace than the index host', () => {
  it('uses the index while it sees the very same tree, and reads everything as soon as it does not', async () => {
    const used = sameUsers ? 'none' : 'OTHER_READER';
    expect(await inMountNamespace(new URL('./other-mounts-scenario.ts', import.meta.url), [folder])).toEqual({
      'other mounts, same tree': [2, used],
      'a part of it is covered': [1, 'OTHER_READER'],
      'uncovered again': [2, used],
      'another directory at its place': [1, 'OTHER_READER'],
    });
  });
});

describe('a search by a process with other rights than the index host', () => {
  const searchedAs = (...before: readonly string[]): unknown => {
    const scenario = scriptArgs(new URL('./other-rights-scenario.ts', import.meta.url), [folder]);
    const [program = '', ...words] = [...before, process.execPath, ...scenario];
    return JSON.parse(execFileSync(program, words, { encoding: 'utf8' }));
  };

  it('reads everything, also under the same user id: it may not be able to read what the host has read', () => {
    expect(searchedAs()).toEqual([2, 'none']);
    // Only root has such rights to give up.
    if (sameUsers) expect(searchedAs('setpriv', '--bounding-set=-dac_override,-dac_read_search')).toEqual([2, 'OTHER_READER']);
    else expect(searchedAs('setpriv', '--no-new-privs')).toEqual([2, 'none']);
  });
});
