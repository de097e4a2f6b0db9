import { CONTENT_ANSWER_MAX_BYTES } from '../../contracts/index.ts';
import type { ContentSearch, ContentSearchOutcome, SearchBackend, SearchFiles, SearchTree } from '../../core/ports/index.ts';
import { enumerate } from '../enumerate/enumerate.ts';
import { compileGlobs, type Globs } from '../enumerate/globs.ts';
import { CorruptSegment } from '../ngram-index/segment/format.ts';
import { runSearch } from '../run/run-search.ts';
import { answerOf, MAX_EVENTS } from './answer.ts';
import { candidateFiles } from './candidate-files.ts';
import { type FallbackReport, type FuzzyFallback, fallBack, type Pass } from './fallback.ts';
import type { CandidateIndex, IndexAnswer } from './index-port.ts';
import { accepted, badArgs, executionFailed, type Judged } from './judged.ts';
import { type OrderRoot, selectOrderRoot } from './order-root.ts';
import { judgeRequest, type RequestDefaults, type SearchQuery } from './request.ts';
import { locate, type Sandbox } from './sandbox.ts';
import { factsOf, NO_INDEX_FACTS, statsOf } from './stats.ts';
import type { Enumeration, Warning } from './types.ts';

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
 * the same with an index and without. Searches do not know of each other; nothing is kept between them, so nothing marks a file as read (SEC-LSI-CACHE-01).
 */
export function createContentSearch(deps: ContentSearchDeps): ContentSearch {
  return { search: (request, signal) => search(request, signal, deps) };
}

async function search(request: unknown, signal: AbortSignal, deps: ContentSearchDeps): Promise<ContentSearchOutcome> {
  const started = deps.now();
  const plan = prepare(request, deps, started);
  if (!plan.ok) return plan;
  const { query, backend, deadline } = plan.value;
  const passes: FilesPass[] = [];
  const run = async (chosen: SearchBackend, level: number): Promise<FilesPass> => {
    const pass = await runPass(plan.value, chosen, level, signal, deps);
    passes.push(pass);
    return pass;
  };
  const { pass, report } = await fallBack(await run(backend, query.fuzzy), {
    settings: deps.fuzzyFallback,
    query,
    fuzzyBackend: fuzzyBackend(deps),
    remaining: () => (signal.aborted ? 0 : deadline - deps.now()),
    run,
  });
  if (pass.result.error !== undefined) return { ok: false, error: pass.result.error };
  return outcomeOf(plan.value, passes, pass, report, started, deps);
}

/** A request that is about to run. */
interface Plan {
  readonly query: SearchQuery;
  readonly backend: SearchBackend;
  readonly globs: Globs;
  readonly root: OrderRoot;
  /** For everything that the request leads to, on the clock of the tool. */
  readonly deadline: number;
}

function prepare(request: unknown, deps: ContentSearchDeps, started: number): Judged<Plan> {
  const query = judgeRequest(request, deps.defaults);
  if (!query.ok) return query;
  const globs = compileGlobs(query.value.globs);
  if (!globs.ok) return badArgs(`glob.${globs.index}`, globs.message);
  const backend = query.value.fuzzy === 0 ? deps.backends.preferred : fuzzyBackend(deps);
  if (backend === undefined) return badArgs('fuzzy', 'needs the backend ugrep, which is not here');
  const place = locate(query.value.path, deps.sandbox, deps.tree);
  if (!place.ok) return place;
  const opened = deps.files.probe(place.value.realPath);
  if (typeof opened === 'object') return executionFailed('path', `cannot be read (${opened.refused}): ${JSON.stringify(query.value.path)}`);
  const root = selectOrderRoot(place.value, deps.sandbox, deps.tree);
  if (!root.ok) return root;
  return accepted({ query: query.value, backend, globs: globs.globs, root: root.value, deadline: started + query.value.timeoutMs });
}

/** The backend for approximate matching: the preferred one, if it can. */
function fuzzyBackend({ backends }: ContentSearchDeps): SearchBackend | undefined {
  return [backends.preferred, ...backends.all].find(({ fuzzy }) => fuzzy);
}

interface FilesPass extends Pass {
  readonly files: Enumeration;
  readonly index: TimedAnswer;
}

/** One run of a backend: over what the index leaves, or over all files. An index that turns out to be damaged is not used. */
async function runPass(plan: Plan, backend: SearchBackend, level: number, signal: AbortSignal, deps: ContentSearchDeps): Promise<FilesPass> {
  const walk = (tree = deps.tree): Enumeration => walkOf(plan, tree, signal, deps);
  const index = level === 0 ? await askIndex(plan, backend, walk, deps) : NO_INDEX;
  if (index.indexed === undefined) return runOver(walk(), index, plan, backend, level, signal, deps);
  try {
    return await runOver(index.indexed.files, index, plan, backend, level, signal, deps);
  } catch (error) {
    if (!(error instanceof CorruptSegment)) throw error;
    return runOver(walk(), { facts: { ...index.facts, bypass: 'CORRUPT' } }, plan, backend, level, signal, deps);
  }
}

/** An answer of the index, and how long it took. */
type TimedAnswer = IndexAnswer & { readonly ms?: number };

const NO_INDEX: TimedAnswer = { facts: NO_INDEX_FACTS };

async function askIndex(
  { query, root, globs }: Plan,
  backend: SearchBackend,
  walk: (tree: SearchTree) => Enumeration,
  { index, emitStats, now }: ContentSearchDeps,
): Promise<TimedAnswer> {
  if (index === undefined) return NO_INDEX;
  const asked = now();
  const answer = await index.ask({ root, query, globs, backend, walk, counts: emitStats });
  return { ...answer, ms: now() - asked };
}

function walkOf(
  { query, globs, root, deadline }: Plan,
  tree: SearchTree,
  signal: AbortSignal,
  { sandbox, now, globalIgnore }: Pick<ContentSearchDeps, 'sandbox' | 'now' | 'globalIgnore'>,
): Enumeration {
  return enumerate(tree, {
    orderRoot: root.directory,
    start: root.start,
    hidden: query.hidden,
    follow: query.follow,
    noIgnore: query.noIgnore,
    globs,
    denied: sandbox.denied,
    allowedRoots: sandbox.allowedRoots,
    globalIgnore,
    stop: () => signal.aborted || now() >= deadline,
  });
}

async function runOver(
  files: Enumeration,
  index: TimedAnswer,
  { query, root, deadline }: Plan,
  backend: SearchBackend,
  level: number,
  signal: AbortSignal,
  { sandbox, tree, now, lanes, confined, files: opener }: ContentSearchDeps,
): Promise<FilesPass> {
  const maxEvents = Math.min(query.maxResults, MAX_EVENTS);
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
    ...candidateFiles({ root: root.directory, follow: query.follow, sandbox, tree, files: opener, confined }),
  });
  return { backend, level, result, warned: files.warnings.length > 0, files, index };
}

function outcomeOf(
  { query, root }: Plan,
  passes: readonly FilesPass[],
  pass: FilesPass,
  fallback: FallbackReport,
  started: number,
  deps: ContentSearchDeps,
): ContentSearchOutcome {
  const { result, files, backend } = pass;
  const first = passes[0]?.index;
  const candidates = deps.emitStats ? result.enumerated + countRest(files) : result.enumerated;
  const candidatesTotal = totalOf(pass, candidates);
  const elapsedMs = Math.max(0, Math.round(deps.now() - started));
  const { linesCut, truncationAssumed } = result;
  const known = { backendId: backend.id, fallback, index: (first ?? NO_INDEX).facts, linesCut, truncationAssumed };
  const stats = (candidatesScanned: number) =>
    deps.emitStats ? statsOf({ ...known, candidatesTotal, candidatesExcluded: candidatesTotal - candidates, candidatesScanned, elapsedMs }) : undefined;
  return {
    ok: true,
    answer: answerOf({ query, path: root.start.length === 0 ? '.' : root.start.toString(), result, warnings: inOrder(files.warnings, result.warnings), stats }),
    run: {
      backend: backend.kind,
      elapsedMs,
      files: result.enumerated,
      fallbackUsed: fallback.levelsTried.length > 0,
      indexBypass: (first ?? NO_INDEX).facts.bypass,
      ...(first?.ms === undefined ? {} : { indexBarrierMs: first.ms }),
      ...(deps.emitStats && first?.indexed !== undefined ? { indexExcluded: candidatesTotal - candidates } : {}),
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

/** Lines about directories stand before the file that they come before, lines about files at that file. */
function inOrder(directories: readonly Warning[], files: readonly Warning[]): Warning[] {
  return [...directories, ...files].sort((a, b) => a.before - b.before);
}
