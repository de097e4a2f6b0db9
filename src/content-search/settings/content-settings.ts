import { realpathSync } from 'node:fs';
import type { indexSettings } from '../../../config/content-index.ts';
import type { Config } from '../../../config/schema.ts';
import type { BackendKind } from '../../core/ports/index.ts';
import type { IndexSettings } from '../io/settings.ts';
import { type ContentSettings, NO_INDEX, NO_STORAGE } from '../io/settings.ts';
import type { OverlayBudget } from '../ngram-index/query/candidates.ts';
import { indexStorage } from '../ngram-index/storage/choose.ts';
import { indexRefusal } from './refusals.ts';

/** The keys of the index. */
export type IndexConfig = Pick<Config['tools']['search'], keyof typeof indexSettings>;

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
    index: resolveIndexSettings(search, sandbox, cache),
    indexBudget: budgetOf(search),
  };
}

/** What a user asks of the tool on the command line. */
export interface UserSearchOptions {
  /** This backend and no other. */
  readonly backend: BackendKind | undefined;
  readonly stats: boolean;
  /** Directory whose index could serve the search; undefined where no index could. */
  readonly indexed: string | undefined;
}

/**
 * What the settings say to a search on the command line: everything that the user may read, the programs and the fuzzy
 * fallback of the settings, the user's own git excludes. From an index root, a search sees what servers see, whether a host
 * runs or not: so the index can serve it, and its answer is the same when it does not.
 */
export function userSettings(
  config: Pick<Config, 'tools'>,
  surroundings: SearchSurroundings & { readonly gitIgnoreFile: string | undefined },
  { backend, stats, indexed }: UserSearchOptions,
): ContentSettings {
  const shared = indexed !== undefined && isIndexRoot(indexed, config) ? contentSettings(config, surroundings) : userView(config, surroundings);
  return { ...shared, allowAbsolute: true, emitStats: stats, binaries: backend === undefined ? shared.binaries : [backend] };
}

/** Only what the settings name: the first allowed root of a server is no reason to search it otherwise from here. */
function isIndexRoot(directory: string, config: Pick<Config, 'tools'>): boolean {
  return indexRefusal(config) === undefined && config.tools.search.index_roots.some((root) => realDirectory(root) === directory);
}

/** Nothing confines it beyond the user's own rights. */
function userView(config: Pick<Config, 'tools'>, surroundings: SearchSurroundings & { readonly gitIgnoreFile: string | undefined }): ContentSettings {
  const settings = contentSettings({ tools: { ...config.tools, search: { ...config.tools.search, index_mode: 'off', index_roots: [] } } }, surroundings);
  const own = { allowedRoots: ['/'], deniedPatterns: [], includeDefaultDenies: false, index: NO_INDEX };
  return { ...settings, ...own, globalIgnoreFile: settings.globalIgnoreFile === '' ? (surroundings.gitIgnoreFile ?? '') : settings.globalIgnoreFile };
}

function realDirectory(directory: string): string | undefined {
  try {
    return realpathSync(directory);
  } catch {
    return undefined;
  }
}

/** Where the settings put indexes. Makes the directory; so it is asked only where an index is wanted. */
export function resolveIndexSettings(
  search: IndexConfig,
  sandbox: Pick<Config['tools']['sandbox'], 'allowed_roots' | 'denied_patterns' | 'include_default_denies'>,
  cache: SearchSurroundings['cache'],
): IndexSettings {
  const { index_mode: mode, bloom_ngram_k: ngramK, index_max_tokenized_bytes: maxTokenizedBytes, bloom_target_fp_rate: bloomTargetFpRate } = search;
  const read = { mode, ngramK, maxTokenizedBytes, bloomTargetFpRate };
  if (mode === 'off') return { ...read, ...NO_STORAGE };
  const request = {
    storage: search.index_storage,
    indexPath: search.index_path,
    allowInsecure: search.index_allow_insecure_persistence,
    allowedRoots: [...sandbox.allowed_roots, ...search.index_roots],
    deniedPatterns: sandbox.denied_patterns,
    includeDefaultDenies: sandbox.include_default_denies,
  };
  return { ...read, ...indexStorage(request, cache) };
}

/** What one search may spend on changes that are not indexed yet. */
export function budgetOf(search: IndexConfig): OverlayBudget {
  return { fraction: search.index_maint_budget_fraction, maxMs: search.reconcile_max_ms, maxFiles: search.reconcile_max_files };
}
