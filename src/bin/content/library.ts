import { userSurroundings } from '../../../config/load.ts';
import type { ContentSearchAnswer, ContentSearchRequest } from '../../producers/client/content-types.ts';
import { DEFAULT_BUDGET } from './index/links.ts';
import { NO_INDEX } from './settings.ts';
import { openContentTool } from './tool.ts';

/** `import { openContentSearch } from 'writ/content-search'`: the `Search` tool inside a program of yours, without Redis and without a server. */
export type * from '../../producers/client/content-types.ts';

export interface ContentSearchOptions {
  /** Directories that may be searched, absolute; links out of them are not followed. */
  readonly roots: readonly string[];
  /** Where relative paths of requests start; the first root unless given. */
  readonly workingDirectory?: string;
  /** Whether the path of a request may be absolute (inside of the roots all the same). */
  readonly allowAbsolute?: boolean;
  /** Globs of absolute paths that are never listed nor opened. */
  readonly deniedPatterns?: readonly string[];
  /** Whether keys and credentials are denied too; true unless given. */
  readonly includeDefaultDenies?: boolean;
  /** Programs to search with, the preferred one first, by name or absolute path; `['ugrep', 'rg']` unless given. */
  readonly binaries?: readonly string[];
  /** Milliseconds of a search that names no time; 20000 unless given. */
  readonly defaultTimeoutMs?: number;
  /** Most events of a search that names no limit; 200 unless given. */
  readonly defaultMaxResults?: number;
  readonly emitStats?: boolean;
  /** How a literal search without a match is tried again approximately; not at all unless given. */
  readonly fuzzyFallback?: { readonly levels: readonly number[]; readonly minPatternLength: number };
  /** Backend processes of one search at a time. */
  readonly lanes?: number;
  /** File with ignore rules that are weaker than all others, absolute. */
  readonly globalIgnoreFile?: string;
}

export type ContentSearchResult =
  | { readonly ok: true; readonly answer: ContentSearchAnswer }
  | { readonly ok: false; readonly error: { readonly code: 'BadArgs' | 'ExecutionFailed'; readonly field: string | undefined; readonly message: string } };

export interface ContentSearchTool {
  /** The backend, `ugrep@3.11.2`; `undefined`: none was found, and every search fails. */
  readonly backend: string | undefined;
  /** One search. Never rejects for what a request can ask; an aborted one ends at once and fails. */
  search(request: ContentSearchRequest, options?: { readonly signal?: AbortSignal }): Promise<ContentSearchResult>;
}

/**
 * Finds the backends of this host and opens the tool. Nothing runs between two searches, and nothing needs to be closed.
 * The tool keeps no memory of what it has read: whether a file counts as read is the host's business alone.
 *
 * @throws Error for a denied pattern that fits no path
 */
export async function openContentSearch({
  roots,
  workingDirectory,
  lanes = 0,
  globalIgnoreFile = '',
  ...given
}: ContentSearchOptions): Promise<ContentSearchTool> {
  const { tool, backend } = await openContentTool(
    {
      allowedRoots: roots,
      searchPath: userSurroundings().searchPath,
      lanes,
      globalIgnoreFile,
      indexRoots: [],
      index: NO_INDEX,
      indexBudget: DEFAULT_BUDGET,
      deniedPatterns: given.deniedPatterns ?? [],
      includeDefaultDenies: given.includeDefaultDenies ?? true,
      allowAbsolute: given.allowAbsolute ?? false,
      binaries: given.binaries ?? ['ugrep', 'rg'],
      defaultTimeoutMs: given.defaultTimeoutMs ?? 20_000,
      defaultMaxResults: given.defaultMaxResults ?? 200,
      emitStats: given.emitStats ?? false,
      fuzzyFallback: given.fuzzyFallback,
    },
    { confined: false, ...(workingDirectory === undefined ? {} : { workingDirectory }) },
  );
  return {
    backend,
    async search(request, { signal = new AbortController().signal } = {}) {
      const outcome = await tool.search(request, signal);
      return outcome.ok ? { ok: true, answer: outcome.answer } : { ok: false, error: outcome.error };
    },
  };
}
