import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { configuredIndexes } from '../../../src/content-search/ngram-index/serving/configured-indexes.ts';
import type { SearchBackend } from '../../../src/core/ports/index.ts';
import { type HostsUnderTest, hostsHere } from '../../support/content/index-damage-host.ts';
import { hostsSettings, startHost, treesOf } from '../../support/content/index-host.ts';
import { realBackends, temporaryDirectory } from '../../support/content/rig.ts';
import { fillDisk, mountSmallDisk, type SmallDisk } from '../../support/small-disk.ts';

let backend: SearchBackend;
let folder: string;
let root: string;
let cacheRoot: string;
const open: { stop(): Promise<void> }[] = [];
const disks: SmallDisk[] = [];

beforeAll(async () => {
  backend = (await realBackends()).rg;
});
beforeEach(() => {
  folder = temporaryDirectory('index-disk');
  [root, cacheRoot] = [path.join(folder, 'root'), path.join(folder, 'cache')];
  mkdirSync(root);
  mkdirSync(cacheRoot, { mode: 0o700 });
  for (let at = 0; at < 60; at += 1) writeFileSync(path.join(root, `file${at}.txt`), at === 7 ? 'a needle' : unlike(at));
});
afterEach(async () => {
  for (const one of open.splice(0)) await one.stop();
  for (const disk of disks.splice(0)) disk.unmount();
  rmSync(folder, { recursive: true, force: true });
});

/** Text whose n-grams are those of no other. */
function unlike(seed: number): string {
  let state = seed + 1;
  return Array.from({ length: 600 }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return String.fromCharCode(97 + ((state >>> 16) % 26));
  }).join('');
}

const trees = () => treesOf(root, []);
const settings = () => hostsSettings(cacheRoot);

async function started(): Promise<HostsUnderTest> {
  const hosts = await hostsHere(settings(), trees(), backend);
  open.push(hosts);
  return hosts;
}

function placeOf(): string {
  const [place] = configuredIndexes(settings(), trees(), backend);
  return place?.directory ?? '';
}

function smallDisk(bytes: number): void {
  disks.push(mountSmallDisk(cacheRoot, { bytes, command: 'npm test' }));
}

describe('a full disk', () => {
  it('ends a build and nothing else; when there is room again it works as soon as somebody asks', { tags: ['FR-LSI-BG-22.2', 'NFR-LSI-REL-01'] }, async () => {
    smallDisk(160 * 2 ** 10);
    const hosts = await started();
    await hosts.happened(() => hosts.events.some((event) => event.kind === 'task' && event.task === 'build'));
    await hosts.settled('UNCERTAIN/BUILD_BUDGET_EXCEEDED');
    expect((await hosts.search('needle')).index_bypass).toBe('VETO');
    execFileSync('mount', ['-o', 'remount,size=8m', cacheRoot]);
    await hosts.ask('build');
    await hosts.settled('COMPLETE');
    expect((await hosts.search('needle')).index_bypass).toBeNull();
  });

  it('keeps the index that is there; changes are seen all the same, and taken in when there is room again', { tags: ['FR-LSI-IDX-CONC-03'] }, async () => {
    smallDisk(2 ** 23);
    const hosts = await started();
    await hosts.settled('COMPLETE');
    const ballast = path.join(cacheRoot, 'ballast');
    fillDisk(ballast);
    writeFileSync(path.join(root, 'new.txt'), 'a second needle');
    await hosts.happened(() => hosts.events.some((event) => event.kind === 'task' && event.task === 'update' && event.outcome === 'over-budget'));
    // The answers are compared there.
    await hosts.search('needle');
    rmSync(ballast);
    await hosts.happened(() => hosts.events.some((event) => event.kind === 'task' && event.task === 'update' && event.outcome === 'done'));
    await hosts.settled('COMPLETE');
    expect((await hosts.search('needle')).index_bypass).toBeNull();
  });
});

describe('two hosts of one cache directory', () => {
  it('are one: the second is refused until the first is dead, and then serves', { tags: ['FR-LSI-IDX-CONC-01'] }, async () => {
    const first = await startHost({ settings: settings(), trees: trees(), backend: 'rg' });
    open.push(first);
    await first.until('COMPLETE');
    await expect(hostsHere(settings(), trees(), backend)).rejects.toMatchObject({ code: 'POOL_OWNED' });
    // It has not touched what the first one has.
    expect(existsSync(path.join(placeOf(), 'host.sock'))).toBe(true);
    await first.kill();
    const second = await started();
    expect((await second.search('needle')).index_bypass).not.toBe('CORRUPT');
    await second.settled('COMPLETE');
    expect((await second.search('needle')).index_bypass).toBeNull();
  });
});

describe('a host', () => {
  it('whose directory is taken away begins anew where searches look for it', async () => {
    const hosts = await started();
    await hosts.settled('COMPLETE');
    rmSync(placeOf(), { recursive: true });
    await hosts.search('needle');
    await hosts.happened(() => hosts.events.filter((event) => event.kind === 'state' && event.after.state === 'COMPLETE').length === 2);
    await hosts.settled('COMPLETE');
    expect((await hosts.search('needle')).index_bypass).toBeNull();
  });

  it('hears of a segment that is gone from the search that misses it, puts the rest aside and builds again', { tags: ['FR-LSI-BG-52'] }, async () => {
    const hosts = await started();
    await hosts.settled('COMPLETE');
    const [generation = ''] = readdirSync(placeOf()).filter((name) => name.startsWith('gen-'));
    rmSync(path.join(placeOf(), generation, 'base.seg'));
    expect((await hosts.search('needle')).index_bypass).toBe('SEGMENTS');
    await hosts.happened(() => hosts.events.some((event) => event.kind === 'state' && event.after.state === 'CORRUPT'));
    await hosts.settled('COMPLETE');
    expect(readdirSync(path.join(placeOf(), 'aside'))).toContain(generation);
    expect((await hosts.search('needle')).index_bypass).toBeNull();
  });
});
