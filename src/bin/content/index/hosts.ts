import { diskIndexFiles } from '../../../adapters/content-index/files-disk.ts';
import { holdIndexDirectory } from '../../../adapters/content-index/lock.ts';
import { createMemoryContentIndex } from '../../../adapters/content-index/memory-store.ts';
import { prepareCacheDirectory } from '../../../adapters/content-index/sqlite-directory.ts';
import { openContentIndexStore } from '../../../adapters/content-index/sqlite-store.ts';
import { createIndexHost, type HostEvent, type HostSettings, type IndexHost, type JobLimits } from '../../../content-search/index.ts';
import { WritError } from '../../../core/errors.ts';
import type { Lifecycle } from '../../../core/lifecycle.ts';
import type { ContentIndexStore, MaintenanceLane, SearchBackend } from '../../../core/ports/index.ts';
import { createIndexBuilder } from './build-worker.ts';
import { type IndexPlace, type IndexPlaceSettings, indexPlaces, type SearchedTrees } from './places.ts';
import { createIndexWatch } from './watch-worker.ts';

/** What hosts are set to beside where indexes lie. */
export interface HostsSettings extends IndexPlaceSettings {
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
}

export interface HostsOptions {
  readonly settings: HostsSettings;
  readonly trees: SearchedTrees;
  readonly backend: SearchBackend;
  readonly lane: MaintenanceLane;
  readonly report: (root: string, event: HostEvent) => void;
}

export interface IndexHosts extends Lifecycle {
  readonly hosts: readonly IndexHost[];
}

/**
 * The index hosts of these trees, one for each root, and the lane on which their work comes. One process has them: the lock of
 * each directory says which.
 *
 * @throws WritError POOL_OWNED, on start, when another process hosts one of them; STORAGE_UNAVAILABLE when the records cannot be opened
 */
export function openIndexHosts({ settings, trees, backend, lane, report }: HostsOptions): IndexHosts {
  const places = indexPlaces(settings, trees, backend);
  const hosts: IndexHost[] = [];
  const closers: (() => void)[] = [];

  async function start(): Promise<void> {
    if (places.length === 0 || hosts.length > 0) return;
    const store = openStore(settings);
    closers.push(() => store.close());
    try {
      for (const place of places) {
        prepareCacheDirectory(place.directory);
        closers.push(holdIndexDirectory(place.directory));
        hosts.push(hostOf(place, store, { settings, lane, report }));
      }
      const byKey = new Map(places.map(({ keyHash }, at) => [keyHash, hosts[at]]));
      lane.process(async (task, job, signal, tell) => byKey.get(task.keyHash)?.perform(task, job, signal, tell));
      for (const host of hosts) await host.start();
      await lane.start();
    } catch (error) {
      await stop();
      throw error;
    }
  }

  async function stop(): Promise<void> {
    // The lane first: what it has begun is put back, and nothing comes that nobody would do.
    await lane.stop();
    await Promise.all(hosts.splice(0).map((host) => host.stop()));
    for (const close of closers.splice(0).reverse()) close();
  }

  return { hosts, start, stop, [Symbol.asyncDispose]: stop };
}

function hostOf(place: IndexPlace, store: ContentIndexStore, { settings, lane, report }: Pick<HostsOptions, 'settings' | 'lane' | 'report'>): IndexHost {
  const { indexed, keyHash, wanted, directory } = place;
  const { host, build, maxDbBytes, storageMode, storageFallback } = settings;
  const limits: JobLimits = { maxFiles: build.maxFiles, maxBytes: build.maxBytes, roomBytes: maxDbBytes, lastRatio: null };
  return createIndexHost({
    keyHash,
    wanted,
    settings: host,
    store,
    storage: { mode: storageMode, fallback: storageFallback },
    files: diskIndexFiles({ directory, keyHash }),
    watch: createIndexWatch({ indexed, directory, globalIgnoreFile: settings.globalIgnoreFile, debounceMs: settings.debounceMs }),
    builder: createIndexBuilder({ indexed, directory, keyHash, pace: build, shutdownTimeoutMs: settings.shutdownTimeoutMs, limits: () => limits }),
    lane,
    now: () => Date.now(),
    report: (event) => report(indexed.root, event),
  });
}

/** Records of indexes in memory die with the host, and so the host finds none of what it left and begins anew. */
function openStore({ storageMode, cacheRoot, lockTimeoutMs }: HostsSettings): ContentIndexStore {
  if (storageMode === 'memory' || cacheRoot === null) return createMemoryContentIndex();
  const opened = openContentIndexStore({ directory: cacheRoot, lockTimeoutMs });
  if (opened.ok) return opened.value;
  throw new WritError('STORAGE_UNAVAILABLE', `the records of the indexes cannot be opened (${opened.refusal}): ${opened.message}`);
}
