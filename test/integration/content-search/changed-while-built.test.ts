import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { hostsHere } from '../../support/content/index-damage-host.ts';
import { hostsSettings, treesOf } from '../../support/content/index-host.ts';
import { realBackends, temporaryDirectory } from '../../support/content/rig.ts';
import { PATIENCE } from '../../support/patience.ts';

/** Two batches of the builder and some files more: it rests twice. */
const FILES = 140;
const REST_MS = 1_000;

let folder: string;
let root: string;
beforeEach(() => {
  folder = temporaryDirectory('index-changed-while-built');
  root = path.join(folder, 'root');
  mkdirSync(root);
  mkdirSync(path.join(folder, 'cache'), { mode: 0o700 });
  for (let at = 0; at < FILES; at += 1) writeFileSync(path.join(root, `file${at}`), at === 3 ? 'a needle' : `hay ${at}`);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('what comes, changes and goes while an index is built is in it, or beside it, when it leaves files out', { tags: ['FR-LSI-BG-61'] }, async () => {
  const { build, host } = hostsSettings('');
  const slow = { build: { ...build, throttleMs: REST_MS }, host: { ...host, idleBoostMs: 86_400_000 } };
  await using hosts = await hostsHere(hostsSettings(path.join(folder, 'cache'), slow), treesOf(root, []), (await realBackends()).rg);
  // It knows which files there are, and reads them; what comes now it meets nowhere.
  await vi.waitFor(() => expect(hosts.status()?.state === 'COMPLETE' || hosts.status()?.activity?.done === FILES).toBe(true), PATIENCE);
  for (const name of ['a-new', 'z-new', 'file0', `file${FILES - 1}`]) writeFileSync(path.join(root, name), 'a needle');
  rmSync(path.join(root, 'file3'));
  await hosts.settled('COMPLETE');
  // The search throws where the answer is not that of a search without the index.
  await vi.waitFor(async () => expect(await hosts.search('needle')).toMatchObject({ index_exclusion_used: true, candidates_total: FILES + 1 }), PATIENCE);
  expect(await hosts.search('hay 3')).toMatchObject({ index_exclusion_used: true });
});
