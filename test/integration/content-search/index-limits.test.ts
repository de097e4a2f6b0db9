import { cpSync, existsSync, type FSWatcher, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, watch, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { keyHash as hashOf } from '../../../src/content-search/ngram-index/safety/key.ts';
import { NO_INDEX } from '../../../src/content-search/ngram-index/safety/transition.ts';
import { configuredIndexes } from '../../../src/content-search/ngram-index/serving/configured-indexes.ts';
import { diskIndexFiles } from '../../../src/content-search/ngram-index/storage/files-disk.ts';
import { openContentIndexStore } from '../../../src/content-search/ngram-index/storage/sqlite-store.ts';
import type { IndexKey, SearchBackend } from '../../../src/core/ports/index.ts';
import { type HostsUnderTest, hostsHere } from '../../support/content/index-damage-host.ts';
import { hostsSettings, treesOf } from '../../support/content/index-host.ts';
import { realBackends, temporaryDirectory } from '../../support/content/rig.ts';

let backend: SearchBackend;
let folder: string;
/** Of all tests: none changes it. */
let root: string;
/** The cache of a host that is gone, with the whole index of the tree. */
let built: string;
let cacheRoot: string;
const open: HostsUnderTest[] = [];
const watchers: FSWatcher[] = [];

beforeAll(async () => {
  backend = (await realBackends()).rg;
  folder = temporaryDirectory('index-limits');
  [root, built, cacheRoot] = ['root', 'built', 'cache'].map((name) => path.join(folder, name)) as [string, string, string];
  mkdirSync(root);
  for (let at = 0; at < 100; at += 1) writeFileSync(path.join(root, `file${at}.txt`), at === 7 ? 'a needle' : `hay ${at}`);
  writeFileSync(path.join(root, 'zaphod-private.txt'), 'quetzalcoatl');
  mkdirSync(cacheRoot, { mode: 0o700 });
  const hosts = await started();
  await hosts.settled('COMPLETE');
  expect((await hosts.search('quetzalcoatl')).index_bypass).toBeNull();
  await hosts.stop();
  renameSync(cacheRoot, built);
});
beforeEach(() => {
  mkdirSync(cacheRoot, { mode: 0o700 });
});
afterEach(async () => {
  for (const hosts of open.splice(0)) await hosts.stop();
  for (const watcher of watchers.splice(0)) watcher.close();
  rmSync(cacheRoot, { recursive: true, force: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A host has been here, and has left the whole index. */
const builtBefore = (): void => cpSync(built, cacheRoot, { recursive: true, filter: (file) => !file.endsWith('.sock') });

type Change = Parameters<typeof hostsSettings>[1];

async function started(change: Change = {}, denied: readonly string[] = []): Promise<HostsUnderTest> {
  const hosts = await hostsHere(hostsSettings(cacheRoot, change), treesOf(root, denied), backend);
  open.push(hosts);
  return hosts;
}

const place = () => {
  const [first] = configuredIndexes(hostsSettings(cacheRoot), treesOf(root, []), backend);
  if (first === undefined) throw new Error('there is no place');
  return first;
};

/** An index of another root, or of other settings, whose host is gone. */
function leftBehind(change: Partial<IndexKey>, accessedAtMs: number, bytes: number): string {
  const { spec } = place();
  const key = { ...spec.key, ...change };
  const keyHash = hashOf(key);
  const directory = path.join(cacheRoot, keyHash.slice(0, 16));
  mkdirSync(path.join(directory, 'gen-1'), { recursive: true, mode: 0o700 });
  writeFileSync(path.join(directory, 'gen-1/base.seg'), Buffer.alloc(bytes), { mode: 0o600 });
  const records = openContentIndexStore({ directory: cacheRoot, lockTimeoutMs: 1_000 });
  if (!records.ok) throw new Error(records.message);
  const times = { createdAtMs: 1, updatedAtMs: 1, accessedAtMs };
  records.value.write((changes) => changes.create({ ...spec, ...times, key, keyHash, sizeBytes: bytes, generation: '1', enumerateErrors: 0 }, NO_INDEX));
  records.value.close();
  return directory;
}

function kept(): readonly string[] {
  const records = openContentIndexStore({ directory: cacheRoot, lockTimeoutMs: 1_000 });
  const read = records.ok ? records.value.read((all) => all.list().map(({ keyHash }) => keyHash.slice(0, 16))) : undefined;
  if (records.ok) records.value.close();
  return read?.ok === true ? read.value : [];
}

const builds = (hosts: HostsUnderTest): readonly string[] =>
  hosts.events.flatMap((event) => (event.kind === 'task' && event.task === 'build' ? [event.outcome] : []));

const states = (hosts: HostsUnderTest): readonly string[] =>
  hosts.events.flatMap((event) => (event.kind === 'state' ? [`${event.after.state}${event.after.reason === null ? '' : `/${event.after.reason}`}`] : []));

describe('the room of a cache root', () => {
  it('is made by what earlier settings left of the same tree, and by the indexes that were not used for longest, when there are too many', {
    tags: ['FR-LSI-IDX-RM-01.2', 'FR-LSI-IDX-RM-02'],
  }, async () => {
    const [newest, oldest, middle] = [3, 1, 2].map((at) => leftBehind({ rootPath: `/srv/${at}` }, at, 10));
    const ofYesterday = leftBehind({ tokenizerId: 'of yesterday' }, 5, 10);
    const hosts = await started({ maxIndexes: 3 });
    await hosts.settled('COMPLETE');
    expect([newest, oldest, middle].map((directory) => existsSync(directory ?? ''))).toEqual([true, false, true]);
    await hosts.stop();
    expect(existsSync(ofYesterday)).toBe(false);
    expect(kept().toSorted()).toEqual([newest ?? '', middle ?? '', place().directory].map((directory) => path.basename(directory)).toSorted());
  });

  it('is made by them too when they take too many bytes: moved away as a whole before any file goes; who has one open reads on', {
    tags: ['FR-LSI-IDX-RM-01.1', 'FR-LSI-IDX-RM-03'],
  }, async () => {
    const [older = '', newer = ''] = [1, 2].map((at) => leftBehind({ rootPath: `/srv/${at}` }, at, 1_000_000));
    const reader = diskIndexFiles({ directory: older, keyHash: '' }).open({ generation: 1, delta: 0 });
    if ('refused' in reader) throw new Error(reader.refused);
    const seen: string[] = [];
    const note = (_: string, name: string | null): void => void seen.push(name ?? '');
    for (const directory of [cacheRoot, path.join(older, 'gen-1')]) watchers.push(watch(directory, note));
    const hosts = await started({ maxDbBytes: 2_000_000 });
    await hosts.settled('COMPLETE');
    expect([older, newer].map((directory) => existsSync(directory))).toEqual([false, true]);
    expect(reader.read(999_999, 10)).toHaveLength(1);
    reader.close();
    expect(readdirSync(cacheRoot).filter((name) => name.startsWith('.gone-'))).toEqual([]);
    await expect.poll(() => seen).toContain('base.seg');
    const moved = seen.findIndex((name) => name.startsWith('.gone-'));
    expect(moved).toBeGreaterThanOrEqual(0);
    expect(moved).toBeLessThan(seen.indexOf('base.seg'));
  });

  it('is not asked of an index that has a host, so two pools do not evict each other for ever', { tags: ['FR-LSI-IDX-RM-03'] }, async () => {
    const first = await started();
    await first.settled('COMPLETE');
    const other = path.join(folder, 'other');
    mkdirSync(other);
    writeFileSync(path.join(other, 'file'), 'text');
    const second = await hostsHere(hostsSettings(cacheRoot, { maxIndexes: 1 }), treesOf(other, []), backend);
    open.push(second);
    await second.settled('UNCERTAIN/BUILD_BUDGET_EXCEEDED');
    expect((await first.search('needle')).index_bypass).toBeNull();
    expect((await second.search('text')).index_bypass).toBe('VETO');
  });

  it('lets an index go that the limits of now do not allow, and answers without it', async () => {
    builtBefore();
    const after = await started({ maxDbBytes: 1_000 });
    await after.settled('ABSENT');
    expect((await after.search('needle')).index_bypass).toBe('VETO');
    expect(existsSync(path.join(place().directory, 'CURRENT'))).toBe(false);
  });
});

describe('an index that was made with other parameters', () => {
  it('is put away and built anew, and its host says why', { tags: ['LSI-ST-08.1', 'LSI-ST-08.2'] }, async () => {
    builtBefore();
    // The rate is no part of the key; the parameters of filters that it gives must be those of the index all the same.
    const after = await started({ bloomTargetFpRate: 0.02 });
    await after.settled('COMPLETE');
    const rows = after.events.flatMap((event) => (event.kind === 'state' ? event.rows : []));
    expect(rows).toContain('LSI-ST-08');
    expect(rows).not.toContain('LSI-ST-05');
    expect((await after.search('needle')).index_bypass).toBeNull();
  });
});

describe('a build that comes to a limit', () => {
  it('holds up no search while it is under way: the host answers each', { tags: ['FR-LSI-BUD-INIT-03'] }, async () => {
    const { build, host } = hostsSettings(cacheRoot);
    // It rests for an hour behind the first files that it reads (one of too many files ends when they are counted), so it is under way as long as it is looked at.
    const slow: Change = { build: { ...build, throttleMs: 3_600_000 }, host: { ...host, idleBoostMs: 86_400_000 } };
    const hosts = await started(slow);
    await hosts.happened(() => hosts.events.some(({ kind }) => kind === 'armed') && hosts.status()?.state === 'BUILDING');
    for (let turn = 0; turn < 3; turn += 1) expect(await hosts.search('needle')).toMatchObject({ index_bypass: 'VETO', candidates_excluded: 0 });
    expect(states(hosts).at(-1)).toBe('BUILDING');
    await hosts.stop();
  });

  it('leaves nothing out, is not tried again while nothing changes, and is after a change', {
    tags: ['FR-LSI-BUD-INIT-02.2', 'FR-LSI-BUD-INIT-03', 'T-LSI-SAFE-05'],
  }, async () => {
    const { build } = hostsSettings(cacheRoot);
    const small: Change = { build: { ...build, maxFiles: 10 } };
    const first = await started(small);
    await first.settled('UNCERTAIN/BUILD_BUDGET_EXCEEDED');
    expect(await first.search('needle')).toMatchObject({ index_bypass: 'VETO', candidates_excluded: 0 });
    await first.stop();

    const again = await started(small);
    await again.settled('UNCERTAIN/BUILD_BUDGET_EXCEEDED');
    await again.stop();
    const larger = await started({ build: { ...build, maxFiles: 1_000 } });
    await larger.settled('COMPLETE');
    expect((await larger.search('needle')).index_bypass).toBeNull();
    expect([first, again, larger].map(builds)).toEqual([['over-budget'], ['over-budget'], ['done']]);
  });
});

describe('an index whose rules have changed', () => {
  it('never serves again, and keeps no byte of what is denied now', { tags: ['SEC-LSI-02.1', 'SEC-LSI-02.2'] }, async () => {
    builtBefore();
    expect(bytesOfAll(cacheRoot).some((bytes) => bytes.includes('zaphod-private'))).toBe(true);

    const after = await started({}, ['**/zaphod-private.txt']);
    expect(states(after)).toContain('UNCERTAIN/POLICY_CHANGED');
    await after.settled('COMPLETE');
    const stats = await after.search('quetzalcoatl');
    expect(stats.index_bypass).toBeNull();
    expect(bytesOfAll(cacheRoot).some((bytes) => bytes.includes('zaphod-private') || bytes.includes('quetza'))).toBe(false);
  });

  it('is thrown away as well when nobody knows by which rules it was made', { tags: ['FR-LSI-BG-52'] }, async () => {
    builtBefore();
    for (const name of readdirSync(cacheRoot)) if (name.startsWith('records.db')) rmSync(path.join(cacheRoot, name));
    const after = await started();
    await after.settled('COMPLETE');
    expect(states(after)).toContain('BUILDING');
    expect((await after.search('needle')).index_bypass).toBeNull();
  });
});

describe('an index in memory', () => {
  const inMemory = (change: Change = {}): Change => ({ storageMode: 'memory', ...change });

  it('serves, and nothing is left of it afterwards, nor of one whose host was killed', {
    tags: ['FR-LSI-STOR-FALLBACK-01.3', 'SEC-LSI-STORE-02.2'],
  }, async () => {
    const left = path.join(cacheRoot, '0123456789abcdef');
    mkdirSync(left, { mode: 0o700 });
    writeFileSync(path.join(left, 'CURRENT'), 'of a host that was killed');
    const hosts = await started(inMemory());
    await hosts.settled('COMPLETE');
    expect(existsSync(left)).toBe(false);
    expect(await hosts.search('needle')).toMatchObject({ index_bypass: null, storage_mode: 'memory' });
    await hosts.stop();
    expect(readdirSync(cacheRoot)).toEqual([]);
  });

  it('that would be too large is given up for a while, and tried again after it', {
    tags: ['FR-LSI-STOR-FALLBACK-02', 'FR-LSI-IDX-RM-04', 'FR-LSI-BUD-04.1', 'FR-LSI-BUD-04.2'],
  }, async () => {
    const pauses = { firstMs: 100, mostMs: 100, memoryMs: 300 };
    const hosts = await started(inMemory({ maxDbBytes: 1_000, pauses }));
    const givenUp = 'DISABLED/MEMORY_BUDGET_EXCEEDED';
    await hosts.happened(() => states(hosts).includes(givenUp));
    expect((await hosts.search('needle')).index_exclusion_used).toBe(false);
    expect(existsSync(path.join(place().directory, 'CURRENT'))).toBe(false);
    await hosts.happened(() => states(hosts).filter((state) => state === givenUp).length > 1);
    const afterwards = states(hosts).slice(states(hosts).indexOf(givenUp));
    expect(afterwards.slice(0, 2)).toEqual([givenUp, 'ABSENT']);
  });
});

function bytesOfAll(directory: string): Buffer[] {
  return readdirSync(directory).flatMap((name) => {
    const entry = path.join(directory, name);
    const found = statSync(entry);
    if (found.isDirectory()) return bytesOfAll(entry);
    return found.isFile() ? [readFileSync(entry)] : [];
  });
}
