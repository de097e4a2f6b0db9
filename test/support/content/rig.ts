import { mkdtempSync, realpathSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DIALECTS } from '../../../src/content-search/backends/dialects.ts';
import { compileDenied } from '../../../src/content-search/enumerate/denied.ts';
import { findBackends } from '../../../src/content-search/io/backend/find-backends.ts';
import { nodeSearchFiles } from '../../../src/content-search/io/tree/open.ts';
import { nodeSearchTree } from '../../../src/content-search/io/tree/tree.ts';
import { DEFAULT_DENIED_PATTERNS, type Sandbox } from '../../../src/content-search/search/sandbox.ts';
import { type ContentSearchDeps, createContentSearch } from '../../../src/content-search/search/search.ts';
import type { ContentSearchAnswer } from '../../../src/contracts/index.ts';
import type { BackendKind, ContentSearchError, ContentSearchOutcome, SearchBackend } from '../../../src/core/ports/index.ts';

/** Both backends of this machine; fails with the command to run if one is not there. */
export async function realBackends(): Promise<Readonly<Record<BackendKind, SearchBackend>>> {
  const { found } = await findBackends({ names: ['ugrep', 'rg'], searchPath: process.env['PATH'] ?? '', dialects: DIALECTS });
  const [ugrep, rg] = (['ugrep', 'rg'] as const).map((kind) => found.find(({ backend }) => backend.kind === kind)?.backend);
  if (ugrep === undefined || rg === undefined) throw new Error('apt-get install ugrep; ripgrep comes with the package @vscode/ripgrep');
  return { ugrep, rg };
}

/** A directory of its own, without links in its path. */
export function temporaryDirectory(name: string, parent = os.tmpdir()): string {
  return realpathSync(mkdtempSync(path.join(parent, `writ-${name}-`)));
}

export interface RigOptions extends Partial<Omit<ContentSearchDeps, 'sandbox'>> {
  readonly root: string;
  readonly backend: SearchBackend;
  readonly sandbox?: Partial<Sandbox>;
}

/** The settings of a tool over one directory, everything as a server has it by default. */
export function depsOf({ root, backend, sandbox, ...rest }: RigOptions): ContentSearchDeps {
  return {
    backends: { preferred: backend, all: [backend] },
    tree: nodeSearchTree(),
    files: nodeSearchFiles(),
    sandbox: {
      allowedRoots: [root],
      workingDirectory: root,
      indexRoots: [],
      allowAbsolute: false,
      denied: compileDenied(DEFAULT_DENIED_PATTERNS),
      platform: 'posix',
      ...sandbox,
    },
    confined: true,
    defaults: { timeoutMs: 20_000, maxResults: 200 },
    fuzzyFallback: undefined,
    emitStats: false,
    lanes: 2,
    globalIgnore: undefined,
    now: () => performance.now(),
    ...rest,
  };
}

/** Searches once. */
export async function searching(options: RigOptions, request: unknown, signal: AbortSignal = new AbortController().signal): Promise<ContentSearchOutcome> {
  return createContentSearch(depsOf(options)).search(request, signal);
}

/** The answer of a search that must have one. */
export async function answerTo(options: RigOptions, request: unknown): Promise<ContentSearchAnswer> {
  const outcome = await searching(options, request);
  if (!outcome.ok) throw new Error(`${outcome.error.code} ${outcome.error.field ?? ''}: ${outcome.error.message}`);
  return outcome.answer;
}

/** The refusal of a search that must not have an answer. */
export async function refusalOf(options: RigOptions, request: unknown): Promise<ContentSearchError> {
  const outcome = await searching(options, request);
  if (outcome.ok) throw new Error(`answered: ${JSON.stringify(outcome.answer)}`);
  return outcome.error;
}

/** The events of an answer, one short text each: `a/b.txt:3:text`, with `-` for context. */
export function eventsOf(answer: ContentSearchAnswer): string[] {
  return answer.matches.map(({ type, data }) => {
    const mark = type === 'match' ? ':' : '-';
    return `${data.path.text}${mark}${data.line_number}${mark}${data.lines.text}`;
  });
}
