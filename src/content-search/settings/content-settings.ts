import type { indexSettings } from '../../../config/content-index.ts';
import type { Config } from '../../../config/schema.ts';
import { type ContentSettings, NO_STORAGE } from '../io/settings.ts';
import type { OverlayBudget } from '../ngram-index/query/overlay-walk.ts';
import type { IndexPlaceSettings } from '../ngram-index/serving/places.ts';
import { indexStorage } from '../ngram-index/storage/choose.ts';

/** The keys of the index. */
export type IndexSettings = Pick<Config['tools']['search'], keyof typeof indexSettings>;

/** What of the user's environment counts for searches and their indexes. */
export interface SearchSurroundings {
  /** Directories of programs, as in PATH. */
  readonly searchPath: string;
  /** What says where the user's cache directory is. */
  readonly cache: Readonly<Record<string, string | undefined>>;
}

/** What the settings say to content searches. Makes the directory of indexes where an index is wanted. */
export function contentSettings({ tools: { search, sandbox } }: Pick<Config, 'tools'>, { searchPath, cache }: SearchSurroundings): ContentSettings {
  return {
    allowedRoots: sandbox.allowed_roots,
    indexRoots: search.index_roots,
    deniedPatterns: sandbox.denied_patterns,
    includeDefaultDenies: sandbox.include_default_denies,
    allowAbsolute: sandbox.allow_absolute,
    binaries: [search.binary, search.fallback_binary],
    searchPath,
    defaultTimeoutMs: search.default_timeout_ms,
    defaultMaxResults: search.default_max_results,
    emitStats: search.emit_stats,
    fuzzyFallback: search.fuzzy_fallback ? { levels: search.fuzzy_fallback_levels, minPatternLength: search.fuzzy_min_pattern_len } : undefined,
    lanes: search.lanes,
    globalIgnoreFile: search.global_ignore_file,
    index: indexPlaceSettings(search, sandbox, cache),
    indexBudget: budgetOf(search),
  };
}

/** Where the settings put indexes. Makes the directory; so it is asked only where an index is wanted. */
export function indexPlaceSettings(
  search: IndexSettings,
  sandbox: Pick<Config['tools']['sandbox'], 'allowed_roots' | 'denied_patterns' | 'include_default_denies'>,
  cache: SearchSurroundings['cache'],
): IndexPlaceSettings {
  const { index_mode: mode, bloom_ngram_k: ngramK, index_max_tokenized_bytes: maxTokenizedBytes, bloom_target_fp_rate: bloomTargetFpRate } = search;
  const read = { mode, ngramK, maxTokenizedBytes, bloomTargetFpRate };
  if (mode === 'off') return { ...read, ...NO_STORAGE };
  const wish = {
    storage: search.index_storage,
    indexPath: search.index_path,
    allowInsecure: search.index_allow_insecure_persistence,
    allowedRoots: [...sandbox.allowed_roots, ...search.index_roots],
    deniedPatterns: sandbox.denied_patterns,
    includeDefaultDenies: sandbox.include_default_denies,
  };
  return { ...read, ...indexStorage(wish, cache) };
}

/** What one search may spend on changes that are not indexed yet. */
export function budgetOf(search: IndexSettings): OverlayBudget {
  return { fraction: search.index_maint_budget_fraction, maxMs: search.reconcile_max_ms, maxFiles: search.reconcile_max_files };
}
