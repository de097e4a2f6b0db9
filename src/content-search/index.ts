import { IndexSettings as IndexConfigSchema } from '../../config/content-index.ts';
import { userSurroundings } from '../../config/load.ts';
import { randomHex } from '../adapters/crypto/random-hex.ts';
import { createMemoryLane } from '../adapters/memory/maintenance-lane.ts';
import type { ContentSearchAnswer, ContentSearchRequest } from '../surfaces/client/content-types.ts';
import type { IndexReason, IndexState, IndexStatus } from '../surfaces/client/index-types.ts';
import type { ContentSettings } from './io/settings.ts';
import { openContentTool } from './io/tool.ts';
import { createIndexSupervisor, type IndexSupervisor } from './ngram-index/serving/supervisor.ts';
import { budgetOf, type IndexConfig, resolveIndexSettings } from './settings/content-settings.ts';
import { hostsSettings } from './settings/host-settings.ts';

/** `import { openContentSearch } from 'writ/content-search'`: the `Search` tool inside a program of yours, without Redis and without a server. */
export type * from '../surfaces/client/content-types.ts';
export type * from '../surfaces/client/index-types.ts';

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
  /** An index that this program keeps, in threads of its own, until `close`; none unless given. */
  readonly index?: ContentIndexOptions;
}

/** Answers are the same with an index and without; only the time that they take differs. */
export interface ContentIndexOptions {
  /** `auto`: only for trees of more than 2,000 files or 500 MB. */
  readonly mode: 'on' | 'auto';
  /** Directories that get an index each, inside of `roots`; it serves searches that begin there. The first root unless given. */
  readonly roots?: readonly string[];
  /** Where indexes lie, outside of `roots`; absolute. The user's cache directory unless given. */
  readonly directory?: string;
  /** `memory`: until `close`; files unless given. */
  readonly storage?: 'memory' | 'sqlite';
  /** Most bytes of all indexes together; 1 GiB unless given. */
  readonly maxBytes?: number;
  /** Told of each change of state, `COMPLETE` for the first time when the index is built. */
  readonly onState?: (root: string, state: IndexState, reason: IndexReason | null) => void;
  /** Told why there can be no index now. It is tried again every 2 s. */
  readonly onStandBy?: (why: string) => void;
}

export type ContentSearchResult =
  | { readonly ok: true; readonly answer: ContentSearchAnswer }
  | { readonly ok: false; readonly error: { readonly code: 'BadArgs' | 'ExecutionFailed'; readonly field: string | undefined; readonly message: string } };

export interface ContentSearchTool {
  /** The backend, `ugrep@3.11.2`; `undefined`: none was found, and every search fails. */
  readonly backend: string | undefined;
  /** One search. Never rejects for what a request can ask; an aborted one ends at once and fails. */
  search(request: ContentSearchRequest, options?: { readonly signal?: AbortSignal }): Promise<ContentSearchResult>;
  /** How the indexes that this program keeps are; empty where it keeps none. */
  indexes(): readonly IndexStatus[];
  /** Ends the threads of the index; to be called when no search runs any more. Without an index there is nothing to end. */
  close(): Promise<void>;
}

/**
 * Finds the backends of this host and opens the tool. Without an index nothing runs between two searches, and nothing needs
 * to be closed. The tool keeps no memory of what it has read: whether a file counts as read is the host's business alone.
 *
 * @throws Error for a denied pattern that fits no path
 */
export async function openContentSearch(options: ContentSearchOptions): Promise<ContentSearchTool> {
  const { workingDirectory, index } = options;
  const settings = settingsOf(options);
  const { tool, backend, close } = await openContentTool(settings, { confined: false, ...(workingDirectory === undefined ? {} : { workingDirectory }) });
  const supervisor = index === undefined ? undefined : supervisorOf(settings, index);
  await supervisor?.start();
  return {
    backend,
    indexes: () => supervisor?.statuses() ?? [],
    async search(request, { signal = new AbortController().signal } = {}) {
      const outcome = await tool.search(request, signal);
      return outcome.ok ? { ok: true, answer: outcome.answer } : { ok: false, error: outcome.error };
    },
    async close() {
      close();
      await supervisor?.stop();
    },
  };
}

function settingsOf({ roots, lanes = 0, globalIgnoreFile = '', index, ...given }: ContentSearchOptions): ContentSettings {
  const { deniedPatterns = [], includeDefaultDenies = true } = given;
  const { searchPath, cache } = userSurroundings();
  const search = indexConfigOf(index);
  const sandbox = { allowed_roots: [...roots], denied_patterns: [...deniedPatterns], include_default_denies: includeDefaultDenies };
  return {
    allowedRoots: roots,
    searchPath,
    lanes,
    globalIgnoreFile,
    indexRoots: index?.roots ?? [],
    index: resolveIndexSettings(search, sandbox, cache),
    indexBudget: budgetOf(search),
    deniedPatterns,
    includeDefaultDenies,
    allowAbsolute: given.allowAbsolute ?? false,
    binaries: given.binaries ?? ['ugrep', 'rg'],
    defaultTimeoutMs: given.defaultTimeoutMs ?? 20_000,
    defaultMaxResults: given.defaultMaxResults ?? 200,
    emitStats: given.emitStats ?? false,
    fuzzyFallback: given.fuzzyFallback,
  };
}

/** The keys of the index; what is not an option of the library is as servers have it by default. */
function indexConfigOf(index: ContentIndexOptions | undefined): IndexConfig {
  return IndexConfigSchema.parse({
    index_mode: index?.mode ?? 'off',
    ...(index?.directory === undefined ? {} : { index_path: index.directory }),
    ...(index?.storage === undefined ? {} : { index_storage: index.storage }),
    ...(index?.maxBytes === undefined ? {} : { index_max_db_bytes: index.maxBytes }),
  });
}

function supervisorOf(content: ContentSettings, index: ContentIndexOptions): IndexSupervisor {
  return createIndexSupervisor({
    content,
    hosts: hostsSettings(indexConfigOf(index), content),
    lane: () => createMemoryLane({ newId: randomHex }),
    report: (root, event) => event.kind === 'state' && index.onState?.(root, event.after.state, event.after.reason),
    onReady: () => undefined,
    onStandBy: (why) => index.onStandBy?.(why),
  });
}
