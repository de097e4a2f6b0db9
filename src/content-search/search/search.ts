import { CONTENT_ANSWER_MAX_BYTES } from '../../contracts/index.ts';
import type { ContentSearch, ContentSearchOutcome, SearchBackend, SearchFiles, SearchTree } from '../../core/ports/index.ts';
import { failed, ok } from '../../core/result.ts';
import { enumerate } from '../enumerate/enumerate.ts';
import { compileGlobs, type Globs } from '../enumerate/globs.ts';
import type { CandidateIndex, IndexAnswer } from '../ngram-index/query/candidate-index.ts';
import { CorruptSegment } from '../ngram-index/segment/format.ts';
import { runSearch } from '../run/run-search.ts';
import { answerOf, MAX_EVENTS } from './answer.ts';
import { candidateFiles } from './candidate-files.ts';
import { type FuzzyFallback, fallBack, NO_FALLBACK, type Pass, type PassWithReport } from './fallback.ts';
import { badArgs, executionFailed, type RequestResult } from './judged.ts';
import { judgeRequest, type RequestDefaults, type SearchQuery } from './request.ts';
import { locate, type OrderRoot, type Sandbox, selectOrderRoot } from './sandbox.ts';
import { factsOf, NO_INDEX_FACTS, statsOf } from './stats.ts';
import type { Enumeration } from './types.ts';

export interface ContentSearchDeps {
  /** The backends of this host: `all` in the order of preference, `preferred` one of them. */
  readonly backends: { readonly preferred: SearchBackend; readonly all: readonly SearchBackend[] };
  readonly tree: SearchTree;
  readonly files: SearchFiles;
  readonly sandbox: Sandbox;
  /** Whether the operating system keeps the backends within the allowed roots; if not, ways are looked at again around each chunk. */
  readonly confined: boolean;
  readonly defaults: RequestDefaults;
  readonly fuzzyFallback: FuzzyFallback | undefined;
  readonly emitStats: boolean;
  /** Backends at a time. */
  readonly lanes: number;
  /** Text of the user's global ignore file. */
  readonly globalIgnore: string | undefined;
  /** What may leave files out of exact searches; absent: nothing does. */
  readonly index?: CandidateIndex;
  /** Milliseconds that never go back. */
  readonly now: () => number;
}

/**
 * The `Search` tool (local-search-index.md 2, 3, 8, 9, 10, 12): a library that works without a server, and whose answers are
 * the same with an index and without. Searches do not know of each other; nothing is kept between them, so nothing marks a
 * file as read (SEC-LSI-CACHE-01).
 */
export function createContentSearch(deps: ContentSearchDeps): ContentSearch {
  return {
    async search(request, signal) {
      const prepared = prepare(request, signal, deps);
      if (!prepared.ok) return prepared;
      const search = prepared.value;
      const exact = await runPass(search, search.backend, search.query.fuzzy);
      const last = deps.fuzzyFallback === undefined ? { pass: exact, report: NO_FALLBACK } : await searchFuzzily(exact, search, deps.fuzzyFallback);
      if (signal.aborted) return failed({ code: 'ExecutionFailed', field: undefined, message: 'the search was stopped' });
      return last.pass.result.error === undefined ? outcomeOf(search, last) : failed(last.pass.result.error);
    },
  };
}

/** One search, from the moment in which its request was found to be one. */
interface RunningSearch {
  readonly deps: ContentSearchDeps;
  readonly signal: AbortSignal;
  readonly started: number;
  /** For everything that the request leads to, on the clock of the tool. */
  readonly deadline: number;
  readonly query: SearchQuery;
  readonly globs: Globs;
  readonly backend: SearchBackend;
  readonly root: OrderRoot;
  /** The passes so far. */
  readonly passes: FilesPass[];
}

/** Step 1: judges the request, chooses the backend, finds the path within the sandbox, and selects the order root. */
function prepare(request: unknown, signal: AbortSignal, deps: ContentSearchDeps): RequestResult<RunningSearch> {
  const started = deps.now();
  const query = judgeRequest(request, deps.defaults);
  if (!query.ok) return query;
  const globs = compileGlobs(query.value.globs);
  if (!globs.ok) return badArgs(`glob.${globs.index}`, globs.message);
  const backend = query.value.fuzzy === 0 ? deps.backends.preferred : fuzzyBackend(deps);
  if (backend === undefined) return badArgs('fuzzy', 'needs the backend ugrep, which is not here');
  const located = locate(query.value.path, deps.sandbox, deps.tree);
  if (!located.ok) return located;
  const opened = deps.files.probe(located.value.realPath);
  if (typeof opened === 'object') return executionFailed('path', `cannot be read (${opened.refused}): ${JSON.stringify(query.value.path)}`);
  const root = selectOrderRoot(located.value, deps.sandbox, deps.tree);
  if (!root.ok) return root;
  const deadline = started + query.value.timeoutMs;
  return ok({ deps, signal, started, deadline, query: query.value, globs: globs.globs, backend, root: root.value, passes: [] });
}

/** The backend for approximate matching: the preferred one, if it can. */
function fuzzyBackend({ backends }: ContentSearchDeps): SearchBackend | undefined {
  return [backends.preferred, ...backends.all].find(({ fuzzy }) => fuzzy);
}

interface FilesPass extends Pass {
  readonly files: Enumeration;
  readonly index: TimedAnswer;
}

/** Steps 2 to 4: one run of a backend, over what the index leaves or over all files. A damaged index is not used. */
async function runPass(search: RunningSearch, backend: SearchBackend, level: number): Promise<FilesPass> {
  const index = level === 0 ? await askIndex(search, backend) : NO_INDEX;
  if (index.indexed === undefined) return runOver(enumerateTree(search), index, search, backend, level);
  try {
    return await runOver(index.indexed.files, index, search, backend, level);
  } catch (error) {
    if (!(error instanceof CorruptSegment)) throw error;
    return runOver(enumerateTree(search), { facts: { ...index.facts, bypass: 'CORRUPT' } }, search, backend, level);
  }
}

/** An answer of the index, and how long it took. */
type TimedAnswer = IndexAnswer & { readonly ms?: number };

const NO_INDEX: TimedAnswer = { facts: NO_INDEX_FACTS };

/** Step 2: asks the index which files it can leave out. */
async function askIndex(search: RunningSearch, backend: SearchBackend): Promise<TimedAnswer> {
  const { query, root, globs, deps } = search;
  if (deps.index === undefined) return NO_INDEX;
  const asked = deps.now();
  const walk = (tree: SearchTree): Enumeration => enumerateTree(search, tree);
  const answer = await deps.index.ask({ root, query, globs, backend, walk, countsFiles: deps.emitStats });
  return { ...answer, ms: deps.now() - asked };
}

/** Step 3: all eligible files in key order, from a walk that goes no further than it is asked to. */
function enumerateTree({ query, globs, root, deadline, signal, deps }: RunningSearch, tree = deps.tree): Enumeration {
  return enumerate(tree, {
    orderRoot: root.directory,
    start: root.start,
    hidden: query.hidden,
    follow: query.follow,
    noIgnore: query.noIgnore,
    globs,
    denied: deps.sandbox.denied,
    allowedRoots: deps.sandbox.allowedRoots,
    globalIgnore: deps.globalIgnore,
    stop: () => signal.aborted || deps.now() >= deadline,
  });
}

/** Step 4: runs the backend over the files; its events come in their order. */
async function runOver(files: Enumeration, index: TimedAnswer, search: RunningSearch, backend: SearchBackend, level: number): Promise<FilesPass> {
  const { query, root, deadline, signal, passes } = search;
  const { sandbox, tree, now, lanes, confined, files: opener } = search.deps;
  const maxEvents = Math.min(query.maxResults, MAX_EVENTS);
  const { read, ...ways } = candidateFiles({ root: root.directory, follow: query.follow, sandbox, tree, files: opener, confined });
  const result = await runSearch({
    backend,
    query: { ...query, fuzzy: level, maxCount: maxEvents + 1 },
    cwd: root.directory,
    files,
    maxEvents,
    maxBytes: CONTENT_ANSWER_MAX_BYTES,
    deadline,
    now,
    signal,
    lanes,
    ...ways,
    // The few files that an index leaves are often searched sooner than a backend is started.
    ...(index.indexed === undefined ? {} : { read }),
  });
  const pass = { backend, level, result, warned: files.warnings.length > 0, files, index };
  passes.push(pass);
  return pass;
}

/** Step 5, where the settings want it: an exact search that found nothing is tried again approximately. */
function searchFuzzily(exact: FilesPass, search: RunningSearch, settings: FuzzyFallback): Promise<PassWithReport<FilesPass>> {
  const { query, deadline, signal, deps } = search;
  return fallBack(exact, {
    settings,
    query,
    fuzzyBackend: fuzzyBackend(deps),
    remaining: () => (signal.aborted ? 0 : deadline - deps.now()),
    run: (backend, level) => runPass(search, backend, level),
  });
}

/** Step 6: the answer, and what is known of the run. The index is told of by the first pass, everything else by the last. */
function outcomeOf({ query, root, started, passes, deps }: RunningSearch, { pass, report: fallback }: PassWithReport<FilesPass>): ContentSearchOutcome {
  const { result, files, backend } = pass;
  const { facts: index, ms, indexed } = passes[0]?.index ?? NO_INDEX;
  const candidates = deps.emitStats ? result.enumerated + countRest(files) : result.enumerated;
  const candidatesTotal = totalOf(pass, candidates);
  const candidatesExcluded = candidatesTotal - candidates;
  const elapsedMs = Math.max(0, Math.round(deps.now() - started));
  const known = { backendId: backend.id, fallback, index, linesCut: result.linesCut, truncationAssumed: result.truncationAssumed };
  const stats = (candidatesScanned: number) =>
    deps.emitStats ? statsOf({ ...known, candidatesTotal, candidatesExcluded, candidatesScanned, elapsedMs }) : undefined;
  // Lines about directories stand before the file that they come before, lines about files at that file.
  const warnings = [...files.warnings, ...result.warnings].sort((a, b) => a.before - b.before);
  return {
    ok: true,
    answer: answerOf({ query, path: root.start.length === 0 ? '.' : root.start.toString(), result, warnings, stats }),
    run: {
      backend: backend.kind,
      elapsedMs,
      files: result.enumerated,
      fallbackUsed: fallback.levelsTried.length > 0,
      indexBypass: index.bypass,
      ...(ms === undefined ? {} : { indexBarrierMs: ms }),
      ...(deps.emitStats && indexed !== undefined ? { indexExcluded: candidatesExcluded } : {}),
      processes: passes.reduce((sum, one) => sum + one.result.processes, 0),
      facts: factsOf(known),
      backendStderr: passes.map((one) => one.result.backendStderr).join(''),
    },
  };
}

/** All eligible files of the request, whether the index left them out or not. */
function totalOf({ index: { indexed } }: FilesPass, candidates: number): number {
  return indexed?.total ?? candidates + (indexed?.excluded?.() ?? 0);
}

/** The candidates that the run had no need of: for the stats only, which count them all. */
function countRest(files: Enumeration): number {
  let count = 0;
  for (let more = files.next(COUNTED_AT_ONCE); more.length > 0; more = files.next(COUNTED_AT_ONCE)) count += more.length;
  return count;
}

const COUNTED_AT_ONCE = 4_096;
