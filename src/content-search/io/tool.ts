import os from 'node:os';
import type { BackendKind, ContentSearch, ContentSearchOutcome } from '../../core/ports/index.ts';
import { DIALECTS } from '../backends/dialects.ts';
import { compileDenied } from '../enumerate/denied.ts';
import { openIndexLinks } from '../ngram-index/serving/links.ts';
import type { Sandbox } from '../search/sandbox.ts';
import { createContentSearch } from '../search/search.ts';
import { type BackendsFound, findBackends } from './backend/find-backends.ts';
import type { ContentSettings } from './settings.ts';
import { nodeSearchFiles } from './tree/open.ts';
import { nodeSearchTree } from './tree/tree.ts';
import { searchedTrees } from './trees.ts';

export interface OpenedContentTool {
  readonly tool: ContentSearch;
  /** The one that searches; `undefined`: none was found, and every search fails. */
  readonly backend: string | undefined;
  /** Why every search fails. */
  readonly problem: string | undefined;
  /** Gives up what searches have open of an index; none may run. */
  close(): void;
}

export interface ContentToolOptions {
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
  if (start === undefined) return failing('none of the allowed roots is a directory here');
  const sandbox: Sandbox = {
    allowedRoots,
    workingDirectory: start,
    indexRoots: trees.indexRoots,
    allowAbsolute: settings.allowAbsolute,
    denied: compileDenied(trees.deniedPatterns),
    platform: process.platform === 'win32' ? 'windows' : 'posix',
  };
  const index = await openIndexLinks(settings.index, trees, preferred.backend, settings.indexBudget);
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
