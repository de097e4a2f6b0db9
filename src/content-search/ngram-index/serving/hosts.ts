import { lstatSync } from 'node:fs';
import path from 'node:path';
import { freshnessOn } from '../../../adapters/linux/file-system-kind.ts';
import { canonicalJson } from '../../../core/canonical-json.ts';
import { WritError } from '../../../core/errors.ts';
import { sha256Hex } from '../../../core/hash.ts';
import type { Lifecycle } from '../../../core/lifecycle.ts';
import type { ContentIndexStore, IndexHostEvent, MaintenanceLane, SearchBackend } from '../../../core/ports/index.ts';
import type { IndexSettings } from '../../io/settings.ts';
import { policyOf } from '../build/indexed-tree.ts';
import { createIndexHost, type IndexHost } from '../indexer/host.ts';
import type { HostPauses, HostSettings } from '../indexer/types.ts';
import { removeAll } from '../storage/files-directory.ts';
import { diskIndexFiles } from '../storage/files-disk.ts';
import { type HeldDirectory, holdIndexDirectory } from '../storage/lock.ts';
import { prepareCacheDirectory } from '../storage/sqlite-directory.ts';
import { createIndexBuilder } from './build-worker.ts';
import { type SharedCache, sharedCache } from './cache-quota.ts';
import { type ConfiguredIndex, configuredIndexes, type SearchedTrees } from './configured-indexes.ts';
import { openIndexRecords } from './records.ts';
import { createIndexWatch } from './watch-worker.ts';

/** What hosts are set to beside where indexes lie. */
export interface HostsSettings extends IndexSettings {
  readonly host: HostSettings;
  readonly globalIgnoreFile: string;
  readonly lockTimeoutMs: number;
  readonly debounceMs: number;
  readonly shutdownTimeoutMs: number;
  readonly build: {
    readonly timeoutMs: number;
    readonly maxCpuPercent: number;
    readonly throttleMs: number;
    readonly maxFiles: number;
    readonly maxBytes: number;
  };
  readonly maxDbBytes: number;
  readonly maxIndexes: number;
  /** Others than usual. */
  readonly pauses?: HostPauses;
}

export interface HostsOptions {
  readonly settings: HostsSettings;
  readonly trees: SearchedTrees;
  readonly backend: SearchBackend;
  readonly lane: MaintenanceLane;
  readonly report: (root: string, event: IndexHostEvent) => void;
}

export interface IndexHosts extends Lifecycle {
  readonly hosts: readonly IndexHost[];
}

/** A host in its place. */
interface Hosted {
  readonly host: IndexHost;
  readonly held: HeldDirectory;
  /** Inode of the socket on which it answers. */
  readonly socket: number | undefined;
}

const PAUSES: HostPauses = { firstMs: 1_000, mostMs: 60_000, memoryMs: 600_000 };
/** So often a host looks whether its directory and its socket are still there. */
const LOOK_EVERY_MS = 1_000;

/**
 * The index hosts of these trees, one for each root, and the lane on which their work comes. One process has them: the lock of
 * each directory says which. A host whose directory or socket was taken away begins anew.
 *
 * @throws WritError POOL_OWNED, on start, when another process hosts one of them; STORAGE_UNAVAILABLE when there is no place
 */
export function openIndexHosts(options: HostsOptions): IndexHosts {
  const { settings, trees, backend, lane } = options;
  const places = configuredIndexes(settings, trees, backend);
  const hosted = new Map<string, Hosted>();
  /** Taken at the start, until their hosts begin. */
  const locks: HeldDirectory[] = [];
  let store: ContentIndexStore | undefined;
  let looks: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();

  async function start(): Promise<void> {
    const { cacheRoot } = settings;
    if (places.length === 0 || cacheRoot === null || store !== undefined) return;
    const records = openIndexRecords(settings);
    store = records;
    try {
      for (const place of places) locks.push(holdPlace(place));
      const limits = { maxBytes: settings.maxDbBytes, maxIndexes: settings.maxIndexes };
      const cache = sharedCache({ cacheRoot, store: records, limits, places, inMemory: settings.storageMode === 'memory' });
      cache.removeLeftovers();
      lane.process(async (task, job, signal, tell) => {
        const host = hosted.get(task.keyHash)?.host;
        if (host === undefined) throw new Error('the index host begins anew');
        await host.perform(task, job, signal, tell);
      });
      for (const place of places) await begin(place, records, cache, locks.shift() ?? holdPlace(place));
      await lane.start();
      looks = setInterval(() => {
        looking = looking.then(() => lookAfter(records, cache)).catch(() => undefined);
      }, LOOK_EVERY_MS).unref();
    } catch (error) {
      await stop();
      throw error;
    }
  }

  async function begin(place: ConfiguredIndex, records: ContentIndexStore, cache: SharedCache, held: HeldDirectory): Promise<void> {
    removeAll(socketOf(place));
    const host = hostOf(place, records, cache, options);
    hosted.set(place.keyHash, { host, held, socket: undefined });
    await host.start();
    hosted.set(place.keyHash, { host, held, socket: inodeOf(socketOf(place)) });
  }

  async function lookAfter(records: ContentIndexStore, cache: SharedCache): Promise<void> {
    for (const place of places) {
      const one = hosted.get(place.keyHash);
      if (looks === undefined || (one !== undefined && isInPlace(place, one))) continue;
      await end(place.keyHash);
      // Whatever keeps it from beginning now may be over at the next look.
      await tryToBegin(place, records, cache).catch(() => end(place.keyHash));
    }
  }

  async function tryToBegin(place: ConfiguredIndex, records: ContentIndexStore, cache: SharedCache): Promise<void> {
    await begin(place, records, cache, holdPlace(place));
  }

  async function end(keyHash: string): Promise<void> {
    const one = hosted.get(keyHash);
    hosted.delete(keyHash);
    await one?.host.stop().catch(() => undefined);
    one?.held.release();
  }

  async function stop(): Promise<void> {
    clearInterval(looks);
    looks = undefined;
    await looking;
    // The lane first: what it has begun is put back, and nothing comes that nobody would do.
    await lane.stop();
    const inMemory = settings.storageMode === 'memory';
    await Promise.all(
      places.map(async (place) => {
        const isOurs = hosted.has(place.keyHash);
        await end(place.keyHash);
        if (isOurs && inMemory) removeAll(place.directory);
      }),
    );
    for (const lock of locks.splice(0)) lock.release();
    store?.close();
    store = undefined;
  }

  return {
    get hosts() {
      return [...hosted.values()].map(({ host }) => host);
    },
    start,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function hostOf(place: ConfiguredIndex, store: ContentIndexStore, cache: SharedCache, { settings, lane, report }: HostsOptions): IndexHost {
  const { indexed, keyHash, spec, directory } = place;
  const { host, build, maxDbBytes, maxIndexes, storageMode, storageFallback } = settings;
  const limits = () => ({ maxFiles: build.maxFiles, maxBytes: build.maxBytes, roomBytes: cache.mostBytes(keyHash), lastRatio: null });
  return createIndexHost({
    keyHash,
    policy: policyOf(indexed),
    limitsHash: sha256Hex(canonicalJson({ ...build, maxDbBytes, maxIndexes, storageMode })),
    room: cache.roomOf(keyHash),
    pauses: settings.pauses ?? PAUSES,
    spec,
    freshness: freshnessOn(indexed.root),
    settings: host,
    store,
    storage: { mode: storageMode, fallback: storageFallback },
    files: diskIndexFiles({ directory, keyHash }),
    watch: createIndexWatch({ indexed, directory, globalIgnoreFile: settings.globalIgnoreFile, debounceMs: settings.debounceMs }),
    builder: createIndexBuilder({ indexed, directory, keyHash, pace: build, shutdownTimeoutMs: settings.shutdownTimeoutMs, limits }),
    lane,
    now: () => Date.now(),
    report: (event) => report(indexed.root, event),
  });
}

/** Makes the directory of an index and takes its lock. What lies there instead, or belongs to others, gives way: it has our name in our place. */
function holdPlace({ directory }: ConfiguredIndex): HeldDirectory {
  if (prepareCacheDirectory(directory) !== 'ready') removeAll(directory);
  const problem = prepareCacheDirectory(directory);
  if (problem !== 'ready') throw new WritError('STORAGE_UNAVAILABLE', `there is no place for an index (${problem}): ${directory}`);
  return holdIndexDirectory(directory);
}

function isInPlace(place: ConfiguredIndex, { held, socket }: Hosted): boolean {
  try {
    return held.isThere() && inodeOf(socketOf(place)) === socket;
  } catch {
    // Something else lies where the directory was.
    return false;
  }
}

const socketOf = ({ directory }: ConfiguredIndex): string => path.join(directory, 'host.sock');

function inodeOf(file: string): number | undefined {
  return lstatSync(file, { throwIfNoEntry: false })?.ino;
}
