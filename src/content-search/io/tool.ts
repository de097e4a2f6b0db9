import os from 'node:os';
import { readerIdentity } from '../../adapters/linux/reader-identity.ts';
import { treeView } from '../../adapters/linux/tree-view.ts';
import type { BackendKind, ContentSearch, ContentSearchOutcome, SearchBackend } from '../../core/ports/index.ts';
import { DIALECTS } from '../backends/dialects.ts';
import { compileDenied } from '../enumerate/denied.ts';
import { createCandidateIndex, type OpenCandidateIndex } from '../ngram-index/query/candidate-index.ts';
import type { OverlayBudget } from '../ngram-index/query/candidates.ts';
import { createBarrierClient } from '../ngram-index/serving/barrier-client.ts';
import { configuredIndexes, type SearchedTrees, searchedTrees } from '../ngram-index/serving/configured-indexes.ts';
import { diskIndexFiles } from '../ngram-index/storage/files-disk.ts';
import { loadHasher } from '../ngram-index/tokenize/hash.ts';
import type { Sandbox } from '../search/sandbox.ts';
import { createContentSearch } from '../search/search.ts';
import { type BackendsFound, findBackends } from './backend/find-backends.ts';
import { letterFolding } from './backend/letter-folding.ts';
import type { ContentSettings, IndexSettings } from './settings.ts';
import { nodeSearchFiles } from './tree/open.ts';
import { nodeTreeFiles } from './tree/read.ts';
import { leadsSomewhere } from './tree/real-path.ts';
import { nodeSearchTree } from './tree/tree.ts';

export interface OpenedContentTool {
  readonly tool: ContentSearch;
  /** The one that searches; `undefined`: none was found, and every search fails. */
  readonly backend: string | undefined;
  /** Why every search fails. */
  readonly problem: string | undefined;
  /** Gives up what searches have open of an index; none may run. */
  close(): void;
}

interface ContentToolOptions {
  /** Whether the kernel keeps this process within the allowed roots. */
  readonly confined: boolean;
  /** Where relative paths start; the first allowed root unless given. */
  readonly workingDirectory?: string;
  /** This kind of backend and no other. */
  readonly backend?: BackendKind | undefined;
  /** The first usable backend is enough: a process that lives for one exact search need not look at others. */
  readonly first?: boolean;
}

/** One lane more than cores, so that none idles while the tool starts the next process; more than this was never measured to gain. */
const MAX_LANES = 3;

/** The `Search` tool with what this host has: backends, file system, clock. Never rejects for what a host can lack. */
export async function openContentTool(
  settings: ContentSettings,
  { confined, workingDirectory, backend, first }: ContentToolOptions,
): Promise<OpenedContentTool> {
  const looked = await findBackends({
    names: settings.binaries,
    searchPath: settings.searchPath,
    dialects: DIALECTS,
    ...(first === true ? { enough: 1 } : {}),
  });
  const trees = searchedTrees(settings);
  const { allowedRoots } = trees;
  const start = workingDirectory ?? allowedRoots[0];
  const found = looked.found.filter((one) => backend === undefined || one.backend.kind === backend);
  const [preferred] = found;
  if (preferred === undefined) return failing(`there is no program that searches files: ${missedText(looked)}`);
  if (start === undefined || !settings.allowedRoots.some(leadsSomewhere)) return failing('none of the allowed roots is a directory here');
  const sandbox: Sandbox = {
    allowedRoots,
    workingDirectory: start,
    indexRoots: trees.indexRoots,
    allowAbsolute: settings.allowAbsolute,
    denied: compileDenied(trees.deniedPatterns),
    platform: process.platform === 'win32' ? 'windows' : 'posix',
  };
  const index = await openCandidateIndex(settings.index, trees, preferred.backend, settings.indexBudget);
  const tool = createContentSearch({
    backends: { preferred: preferred.backend, all: found.map((one) => one.backend) },
    tree: nodeSearchTree(),
    files: nodeSearchFiles(),
    sandbox,
    confined,
    defaults: { timeoutMs: settings.defaultTimeoutMs, maxResults: settings.defaultMaxResults },
    fuzzyFallback: settings.fuzzyFallback,
    emitStats: settings.emitStats,
    lanes: settings.lanes === 0 ? Math.min(MAX_LANES, os.availableParallelism() + 1) : settings.lanes,
    globalIgnore: trees.globalIgnore,
    ...(index === undefined ? {} : { index }),
    now: () => performance.now(),
  });
  return { tool, backend: preferred.backend.id, problem: undefined, close: () => index?.close() };
}

/** Why no backend was taken, each name with its reason. */
export function missedText({ missed }: BackendsFound): string {
  return missed.map(({ name, why }) => `${name} (${why})`).join(', ');
}

function failing(message: string): OpenedContentTool {
  const outcome: ContentSearchOutcome = { ok: false, error: { code: 'ExecutionFailed', field: undefined, message } };
  return { tool: { search: async () => outcome }, backend: undefined, problem: message, close: () => undefined };
}

/** As the settings have it by default. */
const DEFAULT_BUDGET: OverlayBudget = { fraction: 0.25, maxMs: 2_000, maxFiles: 50_000 };

/**
 * The indexes that a process which searches may use; undefined where there can be none. Connects when a search first asks.
 *
 * @param hostLimitMs how long a search waits for the host, as search-rules 1 has it unless given
 */
export async function openCandidateIndex(
  settings: IndexSettings,
  trees: SearchedTrees,
  backend: SearchBackend,
  budget: OverlayBudget = DEFAULT_BUDGET,
  hostLimitMs?: number,
): Promise<OpenCandidateIndex | undefined> {
  const configured = configuredIndexes(settings, trees, backend);
  if (configured.length === 0) return undefined;
  const { storageMode: mode, storageFallback: fallback } = settings;
  const letters = letterFolding(backend);
  return createCandidateIndex({
    tree: nodeSearchTree(),
    stats: nodeTreeFiles(),
    hasher: await loadHasher(),
    identity: readerIdentity(),
    viewOf: treeView,
    budget,
    now: () => performance.now(),
    indexes: configured.map(({ indexed, keyHash, directory }) => ({
      indexed,
      keyHash: Buffer.from(keyHash, 'hex'),
      backendId: backend.id,
      // The probe proves the folding of ASCII; of letters beyond, the backend is asked one by one (search-rules 23).
      folding: { strategy: backend.folding, provenBeyondAscii: false },
      letters,
      host: createBarrierClient(directory, hostLimitMs),
      files: diskIndexFiles({ directory, keyHash }),
      storage: { mode, fallback },
    })),
  });
}
