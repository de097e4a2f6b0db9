import { randomUUID } from 'node:crypto';
import { lstatSync, readdirSync, renameSync, rmSync, type Stats } from 'node:fs';
import path from 'node:path';
import type { ContentIndexStore, IndexMeta } from '../../../core/ports/index.ts';
import type { IndexQuota } from '../indexer/types.ts';
import { sameTree } from '../safety/key.ts';
import { type CachedIndex, type IndexLimits, planEviction, trim } from '../safety/limits.ts';
import { ASIDE } from '../storage/files-disk.ts';
import { tryLockIndex } from '../storage/lock.ts';
import type { ConfiguredIndex } from './configured-indexes.ts';

export interface CacheQuotaOptions {
  readonly cacheRoot: string;
  readonly store: ContentIndexStore;
  readonly limits: IndexLimits;
  readonly indexes: readonly ConfiguredIndex[];
  /** Nothing outlives its host. */
  readonly inMemory: boolean;
}

/** The limits that the indexes of a cache root share, and the removal of those that nobody needs. */
export interface CacheQuota {
  /** Removes what nobody needs any more. To be called once the own directories are locked. */
  removeLeftovers(): void;
  /** What an index may take now, if it is built beside the one that is there. */
  maxBytesOf(keyHash: string): number;
  quotaOf(keyHash: string): IndexQuota;
}

const INDEX_DIRECTORY = /^[0-9a-f]{16}$/;
/** What is on its way out: nobody opens a directory of such a name. */
const GONE = '.gone-';

/** The limits over all indexes of a cache root, also those of other roots and of earlier settings (FR-LSI-IDX-RM). */
export function createCacheQuota({ cacheRoot, store, limits, indexes, inMemory }: CacheQuotaOptions): CacheQuota {
  const roots = indexes.map(({ indexed }) => indexed.root);

  function cachedIndexes(): CachedDirectory[] {
    const read = store.read((records) => records.list());
    const metas = read.ok ? read.value : [];
    return directoriesIn(cacheRoot).map((directory) => foundIn(directory, metas));
  }

  /** One that has a host, whoever that is, is not taken from it: it would only come back. */
  function evict(index: CachedDirectory): boolean {
    const lock = tryLockIndex(index.directory);
    if (lock === undefined) return false;
    try {
      const tombstone = path.join(cacheRoot, `${GONE}${randomUUID()}`);
      renameSync(index.directory, tombstone);
      rmSync(tombstone, { recursive: true, force: true });
      store.write((records) => records.remove(index.keyHash));
      return true;
    } catch {
      // It is counted again the next time.
      return false;
    } finally {
      lock.release();
    }
  }

  /** What is only kept to be looked at goes before anything that serves. */
  function removeAside(): void {
    for (const { directory } of indexes) rmSync(path.join(directory, ASIDE), { recursive: true, force: true });
  }

  function removeLeftovers(): void {
    for (const name of namesIn(cacheRoot)) if (name.startsWith(GONE)) rmSync(path.join(cacheRoot, name), { recursive: true, force: true });
    for (const index of cachedIndexes()) {
      const isOld = index.meta !== undefined && indexes.some(({ spec }) => index.meta !== undefined && sameTree(index.meta.key, spec.key));
      const isOurs = indexes.some(({ directory }) => directory === index.directory);
      if (!isOurs && (isOld || inMemory)) evict(index);
    }
  }

  return {
    removeLeftovers,
    maxBytesOf(keyHash) {
      const all = cachedIndexes();
      const kept = all.filter((index) => index.keyHash === keyHash || isKept(index, all, roots));
      return Math.max(0, limits.maxBytes - kept.reduce((sum, { sizeBytes, asideBytes }) => sum + sizeBytes - asideBytes, 0));
    },
    quotaOf: (keyHash) => ({
      makeRoom() {
        if (!planEviction(cachedIndexes(), limits, { keyHash, bytes: 0 }, roots).fits) removeAside();
        const all = cachedIndexes();
        const plan = planEviction(all, limits, { keyHash, bytes: 0 }, roots);
        return plan.fits && all.filter((index) => plan.evict.includes(index.keyHash)).every(evict);
      },
      isOverLimit() {
        const all = cachedIndexes().map((index) => (index.keyHash === keyHash ? { ...index, building: false } : index));
        return trim(all, limits, roots).some((eviction) => eviction.keyHash === keyHash);
      },
    }),
  };
}

interface CachedDirectory extends CachedIndex {
  readonly directory: string;
  readonly meta: IndexMeta | undefined;
  /** Of that, what was put aside as damaged. */
  readonly asideBytes: number;
}

function foundIn(directory: string, metas: readonly IndexMeta[]): CachedDirectory {
  const name = path.basename(directory);
  const meta = metas.find(({ keyHash }) => keyHash.startsWith(name));
  const accessedAtMs = meta?.accessedAtMs ?? statOf(directory)?.mtimeMs ?? 0;
  const asideBytes = bytesIn(path.join(directory, ASIDE));
  return {
    directory,
    meta,
    asideBytes,
    keyHash: meta?.keyHash ?? name,
    rootPath: meta?.key.rootPath ?? '',
    sizeBytes: bytesIn(directory),
    accessedAtMs,
    building: isHosted(directory),
  };
}

function isHosted(directory: string): boolean {
  try {
    const lock = tryLockIndex(directory);
    lock?.release();
    return lock === undefined;
  } catch {
    return false;
  }
}

/** As `planEviction` judges it. */
function isKept(index: CachedIndex, all: readonly CachedIndex[], roots: readonly string[]): boolean {
  return index.building || (roots.includes(index.rootPath) && all.filter(({ rootPath }) => rootPath === index.rootPath).length === 1);
}

function directoriesIn(cacheRoot: string): string[] {
  const names = namesIn(cacheRoot).filter((name) => INDEX_DIRECTORY.test(name));
  return names.map((name) => path.join(cacheRoot, name)).filter((directory) => statOf(directory)?.isDirectory() === true);
}

/** Bytes of all files beneath, what was put aside included. What goes while it is counted counts nothing. */
function bytesIn(directory: string): number {
  let sum = 0;
  for (const name of namesIn(directory)) {
    const entry = path.join(directory, name);
    const found = statOf(entry);
    if (found?.isDirectory() === true) sum += bytesIn(entry);
    else if (found?.isFile() === true) sum += found.size;
  }
  return sum;
}

/** Another process may put something else into the place of a directory at any moment. */
function statOf(file: string): Stats | undefined {
  try {
    return lstatSync(file);
  } catch {
    return undefined;
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
