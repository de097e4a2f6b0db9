import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { liveDocuments } from '../../../src/content-search/ngram-index/query/live.ts';
import { openSnapshot } from '../../../src/content-search/ngram-index/query/snapshot.ts';
import { createBarrierClient } from '../../../src/content-search/ngram-index/serving/barrier-client.ts';
import { type ConfiguredIndex, configuredIndexes } from '../../../src/content-search/ngram-index/serving/configured-indexes.ts';
import type { HostsSettings } from '../../../src/content-search/ngram-index/serving/hosts.ts';
import { diskIndexFiles } from '../../../src/content-search/ngram-index/storage/files-disk.ts';
import { openContentIndexView } from '../../../src/content-search/ngram-index/storage/sqlite-store.ts';
import { IndexStatus } from '../../../src/contracts/index.ts';
import type { BuildCheckpoint, SearchBackend, SnapshotId } from '../../../src/core/ports/index.ts';
import { hostsHere } from '../../support/content/index-damage-host.ts';
import { type HostProcess, hostsSettings, startHost, treesOf } from '../../support/content/index-host.ts';
import { realBackends, temporaryDirectory } from '../../support/content/rig.ts';
import { hasher } from '../../support/content/segments.ts';
import { PATIENCE_MS, patient } from '../../support/patience.ts';

/** Some batches of what a build reads at a time. */
const FILES = 600;
const HOUR_MS = 3_600_000;
let backend: SearchBackend;
let folder: string;
let root: string;
let cacheRoot: string;
let place: ConfiguredIndex;
let host: HostProcess | undefined;

beforeAll(async () => {
  backend = (await realBackends()).rg;
});
beforeEach(() => {
  folder = temporaryDirectory('index-checkpoint');
  [root, cacheRoot] = [path.join(folder, 'tree'), path.join(folder, 'cache')];
  mkdirSync(root);
  mkdirSync(cacheRoot, { mode: 0o700 });
  for (let at = 0; at < FILES; at += 1) writeFileSync(path.join(root, `${at}.txt`), `some text of ${at}\n`);
  const [only] = configuredIndexes(hostsSettings(cacheRoot), treesOf(root, []), backend);
  if (only === undefined) throw new Error('there is no place for an index');
  place = only;
});
afterEach(async () => {
  await host?.kill();
  rmSync(folder, { recursive: true, force: true });
});

/** A host that takes two seconds for a build, because it sleeps between its batches. */
function slowHost({ timeoutMs = HOUR_MS, throttleMs = patient(120), keeps = true } = {}): Promise<HostProcess> {
  return startHost({ settings: settingsWith({ timeoutMs, throttleMs, keeps }), trees: treesOf(root, []), backend: backend.kind });
}

function settingsWith({ timeoutMs = HOUR_MS, throttleMs = 0, keeps = true }): HostsSettings {
  const { host: usual, build } = hostsSettings(cacheRoot);
  return hostsSettings(cacheRoot, {
    host: { ...usual, idleBoostMs: HOUR_MS, checkpointOnShutdown: keeps },
    build: { ...build, timeoutMs, throttleMs },
  });
}

/** The states of a host with all the time that it wants, until the index is COMPLETE; it has ended then. */
async function finished(): Promise<readonly string[]> {
  await using hosts = await hostsHere(settingsWith({}), treesOf(root, []), backend);
  await hosts.settled('COMPLETE');
  return hosts.events.flatMap((event) => (event.kind === 'state' ? [event.after.state] : []));
}

/** Resolves when a build has read some files, which the host tells everybody who asks. */
async function amidBuild(): Promise<void> {
  const client = createBarrierClient(place.directory, PATIENCE_MS);
  for (;;) {
    const text = await client.status();
    const { activity } = text === undefined || text === '' ? { activity: null } : IndexStatus.parse(JSON.parse(text));
    if (activity?.phase === 'TOKENIZE' && activity.done > 0) break;
    await delay(20);
  }
  client.close();
}

const files = () => diskIndexFiles({ directory: place.directory, keyHash: place.keyHash });

function checkpoint(): BuildCheckpoint | undefined {
  const view = openContentIndexView({ directory: cacheRoot, lockTimeoutMs: 1_000 });
  const read = view.ok ? view.value?.read((records) => records.checkpoint(place.keyHash)) : undefined;
  if (view.ok) view.value?.close();
  return read?.ok === true ? read.value : undefined;
}

/** What searches would find in the index that lies there. */
function indexed(): readonly string[] {
  const current = files().current();
  if (current === undefined || current === 'DAMAGED') return [];
  const opened = openSnapshot(files(), current satisfies SnapshotId, { keyHash: Buffer.from(place.keyHash, 'hex') }, hasher);
  if (!opened.ok) throw new Error(opened.message);
  const paths = Array.from(liveDocuments(opened.snapshot), ({ document }) => document.path.toString());
  opened.snapshot.close();
  return paths;
}

const statesOf = ({ news }: HostProcess): readonly string[] => news.flatMap((one) => (one.kind === 'state' ? [`${one.state}/${one.reason}`] : []));

/** Resolves after a round that has read something. One that got no processor in its time leaves nothing, and is asked for again. */
async function nextRound(host: HostProcess): Promise<void> {
  for (;;) {
    const round = await host.next((one) => one.kind === 'task' && one.outcome !== 'skipped');
    if (round.kind === 'task' && ['partial', 'done'].includes(round.outcome)) return;
    host.ask('build');
  }
}

describe('a build that its host cannot finish', () => {
  it('is gone on from at the next start, whatever has happened to its files', {
    tags: ['FR-LSI-BG-40.3', 'FR-LSI-BG-41.1', 'FR-LSI-BG-41.2', 'FR-LSI-BG-51.1'],
  }, async () => {
    host = await slowHost();
    await amidBuild();
    await host.stop();
    expect(host.state()).not.toBe('COMPLETE');
    const had = indexed();
    expect(had.length).toBeGreaterThanOrEqual(256);
    expect(had.length).toBeLessThan(FILES);
    expect(checkpoint()).toMatchObject({ files: had.length, generation: String((files().current() as SnapshotId).generation), epoch: 0 });
    expect(Buffer.from(checkpoint()?.lastPath ?? []).toString()).toBe(had.at(-1));
    writeFileSync(path.join(root, had[0] ?? ''), 'another text');
    rmSync(path.join(root, had[1] ?? ''));

    const states = await finished();
    expect(indexed()).toHaveLength(FILES - 1);
    expect(checkpoint()).toBeUndefined();
    // Beside the rest: the file that changed and was gone, and those that were too young when they were read.
    expect(files().current()).toMatchObject({ deltas: [1] });
    expect(states.filter((state) => state === 'COMPLETE')).toHaveLength(1);
  });

  it('leaves nothing if it is not to keep anything, and none of what a hard end interrupts', {
    tags: ['FR-LSI-BG-42', 'FR-LSI-BG-40.3', 'FR-LSI-BG-43.2'],
  }, async () => {
    host = await slowHost({ keeps: false });
    await amidBuild();
    await host.stop();
    expect(files().current()).toBeUndefined();

    host = await slowHost();
    await amidBuild();
    await host.kill();
    expect(files().current()).toBeUndefined();

    expect(await finished()).not.toContain('CORRUPT');
    expect(indexed()).toHaveLength(FILES);
  });

  it('takes several rounds when its time is short, never serves in between, and survives a kill', {
    tags: ['FR-LSI-BUD-INIT-01.1', 'FR-LSI-BUD-INIT-02.1', 'FR-LSI-BUD-INIT-02.2', 'FR-LSI-BG-12'],
  }, async () => {
    host = await slowHost({ timeoutMs: patient(2_000), throttleMs: patient(300) });
    await nextRound(host);
    expect(statesOf(host).at(-1)).toBe('UNCERTAIN/BUILD_BUDGET_EXCEEDED');
    const first = indexed();
    expect(first.length).toBeGreaterThan(0);
    await nextRound(host);
    const had = indexed();
    expect(had.length).toBeGreaterThanOrEqual(first.length);
    await host.kill();
    expect(indexed()).toEqual(had);

    // With all the time that it wants: how many rounds the rest takes is up to the machine, and whether any file is left.
    await finished();
    expect(indexed()).toHaveLength(FILES);
  });

  it('begins anew when what it has left is damaged', { tags: ['FR-LSI-BG-51.2'] }, async () => {
    host = await slowHost();
    await amidBuild();
    await host.stop();
    const generation = readdirSync(place.directory).find((name) => name.startsWith('gen-')) ?? '';
    writeFileSync(path.join(place.directory, generation, 'base.seg'), 'this is no segment');
    await finished();
    expect(indexed()).toHaveLength(FILES);
    expect(files().current()).toMatchObject({ deltas: [] });
  });
});
