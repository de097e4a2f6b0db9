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
import { type IndexLock, lockIndex } from '../storage/lock.ts';
import { prepareCacheDirectory } from '../storage/sqlite-directory.ts';
import { createIndexBuilder } from './build-worker.ts';
import { type CacheQuota, createCacheQuota } from './cache-quota.ts';
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

/** A host, the lock of its directory, and its socket. */
interface RunningHost {
  readonly host: IndexHost;
  readonly lock: IndexLock;
  /** Inode of the socket on which it answers. */
  readonly socket: number | undefined;
}

const PAUSES: HostPauses = { firstMs: 1_000, mostMs: 60_000, memoryMs: 600_000 };
/** So often it is checked whether its directory and its socket are still there. */
const CHECK_EVERY_MS = 1_000;

/**
 * The index hosts of these trees, one for each root, and the lane on which their work comes. One process has them: the lock of
 * each directory says which. A host whose directory or socket was taken away begins anew.
 *
 * @throws WritError POOL_OWNED, on start, when another process hosts one of them; STORAGE_UNAVAILABLE when there is no directory for it
 */
export function openIndexHosts(options: HostsOptions): IndexHosts {
  const { settings, trees, backend, lane } = options;
  const indexes = configuredIndexes(settings, trees, backend);
  const running = new Map<string, RunningHost>();
  /** Taken at the start, until their hosts begin. */
  const locks: IndexLock[] = [];
  let store: ContentIndexStore | undefined;
  let timer: NodeJS.Timeout | undefined;
  let restarting: Promise<void> = Promise.resolve();

  async function start(): Promise<void> {
    const { cacheRoot } = settings;
    if (indexes.length === 0 || cacheRoot === null || store !== undefined) return;
    const records = openIndexRecords(settings);
    store = records;
    try {
      for (const index of indexes) locks.push(prepareAndLock(index));
      const limits = { maxBytes: settings.maxDbBytes, maxIndexes: settings.maxIndexes };
      const cache = createCacheQuota({ cacheRoot, store: records, limits, indexes, inMemory: settings.storageMode === 'memory' });
      cache.removeLeftovers();
      lane.process(async (task, job, signal, tell) => {
        const host = running.get(task.keyHash)?.host;
        if (host === undefined) throw new Error('the index host begins anew');
        await host.perform(task, job, signal, tell);
      });
      for (const index of indexes) await begin(index, records, cache, locks.shift() ?? prepareAndLock(index));
      await lane.start();
      timer = setInterval(() => {
        restarting = restarting.then(() => restartLost(records, cache)).catch(() => undefined);
      }, CHECK_EVERY_MS).unref();
    } catch (error) {
      await stop();
      throw error;
    }
  }

  async function begin(index: ConfiguredIndex, records: ContentIndexStore, cache: CacheQuota, lock: IndexLock): Promise<void> {
    removeAll(socketOf(index));
    const host = hostOf(index, records, cache, options);
    running.set(index.keyHash, { host, lock, socket: undefined });
    await host.start();
    running.set(index.keyHash, { host, lock, socket: inodeOf(socketOf(index)) });
  }

  async function restartLost(records: ContentIndexStore, cache: CacheQuota): Promise<void> {
    for (const index of indexes) {
      const one = running.get(index.keyHash);
      if (timer === undefined || (one !== undefined && isIntact(index, one))) continue;
      await end(index.keyHash);
      // Whatever keeps it from beginning now may be over at the next look.
      await tryToBegin(index, records, cache).catch(() => end(index.keyHash));
    }
  }

  async function tryToBegin(index: ConfiguredIndex, records: ContentIndexStore, cache: CacheQuota): Promise<void> {
    await begin(index, records, cache, prepareAndLock(index));
  }

  async function end(keyHash: string): Promise<void> {
    const one = running.get(keyHash);
    running.delete(keyHash);
    await one?.host.stop().catch(() => undefined);
    one?.lock.release();
  }

  async function stop(): Promise<void> {
    clearInterval(timer);
    timer = undefined;
    await restarting;
    // The lane first: what it has begun is put back, and nothing comes that nobody would do.
    await lane.stop();
    const inMemory = settings.storageMode === 'memory';
    await Promise.all(
      indexes.map(async (index) => {
        const isOurs = running.has(index.keyHash);
        await end(index.keyHash);
        if (isOurs && inMemory) removeAll(index.directory);
      }),
    );
    for (const lock of locks.splice(0)) lock.release();
    store?.close();
    store = undefined;
  }

  return {
    get hosts() {
      return [...running.values()].map(({ host }) => host);
    },
    start,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function hostOf(index: ConfiguredIndex, store: ContentIndexStore, cache: CacheQuota, { settings, lane, report }: HostsOptions): IndexHost {
  const { indexed, keyHash, spec, directory } = index;
  const { host, build, maxDbBytes, maxIndexes, storageMode, storageFallback } = settings;
  const limits = () => ({ maxFiles: build.maxFiles, maxBytes: build.maxBytes, roomBytes: cache.maxBytesOf(keyHash), lastRatio: null });
  return createIndexHost({
    keyHash,
    policy: policyOf(indexed),
    limitsHash: sha256Hex(canonicalJson({ ...build, maxDbBytes, maxIndexes, storageMode })),
    quota: cache.quotaOf(keyHash),
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
    random: Math.random,
    report: (event) => report(indexed.root, event),
  });
}

/** Makes the directory of an index and takes its lock. What lies there instead, or belongs to others, gives way: it has the name that is ours. */
function prepareAndLock({ directory }: ConfiguredIndex): IndexLock {
  if (prepareCacheDirectory(directory) !== 'ready') removeAll(directory);
  const problem = prepareCacheDirectory(directory);
  if (problem !== 'ready') throw new WritError('STORAGE_UNAVAILABLE', `there is no place for an index (${problem}): ${directory}`);
  return lockIndex(directory);
}

function isIntact(index: ConfiguredIndex, { lock, socket }: RunningHost): boolean {
  try {
    return lock.isThere() && inodeOf(socketOf(index)) === socket;
  } catch {
    // Something else lies where the directory was.
    return false;
  }
}

const socketOf = ({ directory }: ConfiguredIndex): string => path.join(directory, 'host.sock');

function inodeOf(file: string): number | undefined {
  return lstatSync(file, { throwIfNoEntry: false })?.ino;
}
