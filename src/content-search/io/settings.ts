import type { indexSettings } from '../../../config/content-index.ts';
import type { Config } from '../../../config/schema.ts';
import type { OverlayBudget } from '../../content-search/index/query/overlay-walk.ts';
import type { IndexPlaceSettings } from './index/places.ts';
import { indexStorage } from './index/storage.ts';

/** The keys of the index. */
export type IndexSettings = Pick<Config['tools']['search'], keyof typeof indexSettings>;

/** What the `Search` tool of a server is set to, as plain values: the process that searches gets them as its one argument. */
export interface ContentSettings {
  readonly allowedRoots: readonly string[];
  /** `index_roots`; empty: the first allowed root is the only one. */
  readonly indexRoots: readonly string[];
  readonly deniedPatterns: readonly string[];
  readonly includeDefaultDenies: boolean;
  readonly allowAbsolute: boolean;
  /** Names or absolute paths of the programs, the preferred one first. */
  readonly binaries: readonly string[];
  /** Directories in which programs are looked for, as in PATH. */
  readonly searchPath: string;
  readonly defaultTimeoutMs: number;
  readonly defaultMaxResults: number;
  readonly emitStats: boolean;
  readonly fuzzyFallback: { readonly levels: readonly number[]; readonly minPatternLength: number } | undefined;
  /** 0: the tool's own choice. */
  readonly lanes: number;
  /** Absolute path; empty for none. */
  readonly globalIgnoreFile: string;
  readonly index: IndexPlaceSettings;
  /** What one search may spend on changes that are not indexed yet. */
  readonly indexBudget: OverlayBudget;
}

export function contentSettings({ tools: { search, sandbox } }: Pick<Config, 'tools'>, searchPath: string): ContentSettings {
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
    index: indexPlaceSettings(search, sandbox),
    indexBudget: budgetOf(search),
  };
}

/** Where the settings put indexes. Makes the directory; so it is asked only where an index is wanted. */
export function indexPlaceSettings(
  search: IndexSettings,
  sandbox: Pick<Config['tools']['sandbox'], 'allowed_roots' | 'denied_patterns' | 'include_default_denies'>,
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
  return { ...read, ...indexStorage(wish) };
}

/** What one search may spend on changes that are not indexed yet. */
export function budgetOf(search: IndexSettings): OverlayBudget {
  return { fraction: search.index_maint_budget_fraction, maxMs: search.reconcile_max_ms, maxFiles: search.reconcile_max_files };
}

const NO_STORAGE = { cacheRoot: null, storageMode: 'none', storageFallback: null } as const;

/** Where there is no index. */
export const NO_INDEX: IndexPlaceSettings = { mode: 'off', ngramK: 3, maxTokenizedBytes: 1_048_576, bloomTargetFpRate: 0.01, ...NO_STORAGE };

/** Why servers refuse every content search, with the lines to add; `undefined` when they do not. */
export function contentRefusal({ tools: { search, sandbox } }: Pick<Config, 'tools'>): string | undefined {
  const missing = [
    ...(search.enabled ? [] : ['`enabled = true` to [tools.search]']),
    ...(sandbox.allowed_roots.length > 0 ? [] : ['`allowed_roots = ["/path/to/search"]` to [tools.sandbox]']),
  ];
  return missing.length === 0 ? undefined : `content search is not allowed here; to allow it, add ${missing.join(' and ')} in the settings of the server`;
}
