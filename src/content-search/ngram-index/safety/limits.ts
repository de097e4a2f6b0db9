import { compareCodePoints } from '../../../core/code-points.ts';
import type { BuildStop } from '../../../core/ports/index.ts';

/** An index as the limits see it. */
export interface CachedIndex {
  readonly keyHash: string;
  readonly rootPath: string;
  /** Bytes on disk of everything that it holds, a second generation included. */
  readonly sizeBytes: number;
  readonly accessedAtMs: number;
  readonly building: boolean;
}

export interface IndexLimits {
  /** `index_max_db_bytes`, of all indexes of a cache root together. */
  readonly maxBytes: number;
  /** `index_max_indexes`. */
  readonly maxIndexes: number;
}

/** Share of the eligible bytes that an index takes, when no build has shown a better figure (search-rules 17). */
const BYTES_PER_ELIGIBLE_BYTE = 0.16;

/** Bytes that a build will need. `lastRatio`: index bytes by eligible bytes of the last build here. */
export function estimateBytes(eligibleBytes: number, lastRatio?: number): number {
  return Math.ceil(eligibleBytes * (lastRatio ?? BYTES_PER_ELIGIBLE_BYTE));
}

export type EvictionPlan =
  /** These go, in this order, and then there is room. */
  | { readonly fits: true; readonly evict: readonly string[] }
  /** Nothing goes: it would not be enough. The build does not begin (UNCERTAIN/BUILD_BUDGET_EXCEEDED). */
  | { readonly fits: false; readonly missingBytes: number; readonly missingPlaces: number };

/**
 * Whether a build of `bytes` may begin, and what must go before it. Never evicted for it: an index that is being built, and
 * the only index of a configured root, its own older generation too; so two roots that do not fit together do not evict
 * each other for ever.
 */
export function planEviction(
  cached: readonly CachedIndex[],
  limits: IndexLimits,
  wanted: { readonly keyHash: string; readonly bytes: number },
  roots: readonly string[],
): EvictionPlan {
  const others = cached.filter(({ keyHash }) => keyHash !== wanted.keyHash);
  const free = { bytes: limits.maxBytes - bytesOf(cached) - wanted.bytes, places: limits.maxIndexes - others.length - 1 };
  const evict: string[] = [];
  for (const victim of inTurn(others)) {
    if (free.bytes >= 0 && free.places >= 0) break;
    if (isKept(victim, gone(cached, evict), roots)) continue;
    evict.push(victim.keyHash);
    free.bytes += victim.sizeBytes;
    free.places += 1;
  }
  if (free.bytes >= 0 && free.places >= 0) return { fits: true, evict };
  return { fits: false, missingBytes: Math.max(0, -free.bytes), missingPlaces: Math.max(0, -free.places) };
}

/** An index that has to go because the limits are exceeded now. */
export interface Eviction {
  readonly keyHash: string;
  /** It was the only index of a configured root: noted, so that it is not built again at once (`mayBuildAgain`). */
  readonly last: boolean;
}

/**
 * What goes when the indexes have outgrown the limits (FR-LSI-IDX-RM-02): first those that no configured root depends on,
 * then the others, each in turn; an index that is being built stops by its own limit and is not taken here.
 */
export function trim(cached: readonly CachedIndex[], limits: IndexLimits, roots: readonly string[]): readonly Eviction[] {
  const evictions: Eviction[] = [];
  const over = (): boolean => {
    const left = gone(
      cached,
      evictions.map(({ keyHash }) => keyHash),
    );
    return bytesOf(left) > limits.maxBytes || left.length > limits.maxIndexes;
  };
  for (const last of [false, true]) {
    for (const victim of inTurn(cached)) {
      if (!over()) return evictions;
      const taken = evictions.map(({ keyHash }) => keyHash);
      if (victim.building || taken.includes(victim.keyHash) || isKept(victim, gone(cached, taken), roots) !== last) continue;
      evictions.push({ keyHash: victim.keyHash, last });
    }
  }
  return evictions;
}

/** What a stopped or evicted build is compared with. */
export type BuildCondition = Pick<BuildStop, 'settings' | 'eligibleFiles' | 'eligibleBytes'>;

/**
 * Whether a build that came to a limit may begin again: only if the settings changed or the tree lost a tenth of its files
 * or bytes (search-rules 17). A limit of time is different: such a build goes on from its checkpoint.
 */
export function mayBuildAgain(stop: BuildStop | null, now: BuildCondition): boolean {
  if (stop === null || stop.why === 'TIME' || stop.settings !== now.settings) return true;
  return now.eligibleFiles <= stop.eligibleFiles * 0.9 || now.eligibleBytes <= stop.eligibleBytes * 0.9;
}

/** The order of eviction: longest unused, then largest, then by key hash. */
function inTurn(cached: readonly CachedIndex[]): CachedIndex[] {
  return [...cached].sort((a, b) => a.accessedAtMs - b.accessedAtMs || b.sizeBytes - a.sizeBytes || compareCodePoints(a.keyHash, b.keyHash));
}

function isKept(index: CachedIndex, left: readonly CachedIndex[], roots: readonly string[]): boolean {
  return index.building || (roots.includes(index.rootPath) && left.filter(({ rootPath }) => rootPath === index.rootPath).length === 1);
}

function gone(cached: readonly CachedIndex[], keyHashes: readonly string[]): readonly CachedIndex[] {
  return cached.filter(({ keyHash }) => !keyHashes.includes(keyHash));
}

function bytesOf(cached: readonly CachedIndex[]): number {
  return cached.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}
