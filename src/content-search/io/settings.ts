import type { OverlayBudget } from '../ngram-index/query/candidates.ts';

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
  readonly index: IndexSettings;
  /** What one search may spend on changes that are not indexed yet. */
  readonly indexBudget: OverlayBudget;
}

/** What decides which indexes there are, and where. */
export interface IndexSettings {
  readonly mode: 'off' | 'auto' | 'on';
  /** Where all indexes lie; null: there can be none. */
  readonly cacheRoot: string | null;
  readonly storageMode: 'memory' | 'sqlite' | 'none';
  readonly storageFallback: string | null;
  readonly ngramK: number;
  readonly maxTokenizedBytes: number;
  readonly bloomTargetFpRate: number;
}

/** Where there is no storage for an index. */
export const NO_STORAGE = { cacheRoot: null, storageMode: 'none', storageFallback: null } as const;

/** Where there is no index. */
export const NO_INDEX: IndexSettings = { mode: 'off', ngramK: 3, maxTokenizedBytes: 1_048_576, bloomTargetFpRate: 0.01, ...NO_STORAGE };
