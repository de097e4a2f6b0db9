import type { FALLBACK_SKIP_REASONS } from '../../contracts/index.ts';
import { codePointLength } from '../../core/code-points.ts';
import type { SearchBackend } from '../../core/ports/index.ts';
import type { SearchQuery } from './request.ts';
import type { RunResult } from './types.ts';

/** How a literal search that finds nothing is tried again (local-search-index.md 9). Absent: it is not. */
export interface FuzzyFallback {
  /** Levels 1 to 4 in the order in which they are tried. */
  readonly levels: readonly number[];
  /** Code points; a shorter pattern is not tried again. */
  readonly minPatternLength: number;
}

/** One run of a backend over the files of a request. */
export interface Pass {
  readonly backend: SearchBackend;
  /** 0: exact. */
  readonly level: number;
  readonly result: RunResult;
  /** Lines about directories and ignore files that could not be read. */
  readonly warned: boolean;
}

export interface FallbackReport {
  readonly levelsTried: readonly number[];
  readonly passesSkipped: number;
  readonly skipReason: (typeof FALLBACK_SKIP_REASONS)[number] | null;
}

/** The pass that the answer is made of, and what the fallback did. */
export interface PassWithReport<P extends Pass> {
  readonly pass: P;
  readonly report: FallbackReport;
}

export interface FallbackContext<P extends Pass> {
  readonly settings: FuzzyFallback;
  readonly query: SearchQuery;
  /** A backend that can match approximately, if there is one. */
  readonly fuzzyBackend: SearchBackend | undefined;
  /** Milliseconds until the deadline of the request. */
  readonly remaining: () => number;
  /** Searches once more, everything else being as the request has it, until the same deadline. */
  readonly run: (backend: SearchBackend, level: number) => Promise<P>;
}

/** Nothing was tried again. */
export const NO_FALLBACK: FallbackReport = { levelsTried: [], passesSkipped: 0, skipReason: null };

/**
 * Tries the levels one after the other when the literal search has found nothing (FR-LSI-FUZ-*), all under the deadline of
 * the request. `word_regexp` is kept: ugrep knows both together.
 *
 * @returns the pass that the answer is made of: the first with a match, else the last one that ran
 */
export async function fallBack<P extends Pass>(first: P, context: FallbackContext<P>): Promise<PassWithReport<P>> {
  const { settings, fuzzyBackend } = context;
  if (!isEligible(first, context.query)) return { pass: first, report: NO_FALLBACK };
  const obstacle = OBSTACLES.find(({ stands }) => stands(first, settings, context))?.reason;
  if (obstacle !== undefined || fuzzyBackend === undefined) {
    return { pass: first, report: { levelsTried: [], passesSkipped: settings.levels.length, skipReason: obstacle ?? 'BACKEND_NOT_FUZZY' } };
  }
  const levelsTried: number[] = [];
  let pass = first;
  for (const level of settings.levels) {
    if (context.remaining() <= 0) break;
    pass = await context.run(fuzzyBackend, level);
    levelsTried.push(level);
    // Only matches stop it: lines of context alone are no find. What failed once, or ran out of time, is not tried harder.
    if (pass.result.events.some(({ type }) => type === 'match') || pass.result.timedOut || pass.result.error !== undefined) break;
  }
  return { pass, report: { levelsTried, ...skipped(settings, levelsTried, pass) } };
}

/** Whether the fallback has a say at all: a literal search, not asked to be fuzzy, that ended as `ok_no_matches`. */
function isEligible({ result }: Pass, query: SearchQuery): boolean {
  return query.fixedStrings && query.fuzzy === 0 && result.end === 'ok_no_matches' && !result.truncated && !result.timedOut;
}

/** What stands in its way, in the order in which it is looked for. */
const OBSTACLES: readonly {
  readonly reason: NonNullable<FallbackReport['skipReason']>;
  readonly stands: (first: Pass, settings: FuzzyFallback, context: Pick<FallbackContext<Pass>, 'query' | 'fuzzyBackend' | 'remaining'>) => boolean;
}[] = [
  { reason: 'PATTERN_TOO_SHORT', stands: (_first, { minPatternLength }, { query }) => codePointLength(query.pattern) < minPatternLength },
  { reason: 'BACKEND_NOT_FUZZY', stands: (_first, _settings, { fuzzyBackend }) => fuzzyBackend === undefined },
  // A file that could not be opened may hold the very line.
  { reason: 'UNREADABLE_FILES', stands: ({ result, warned }) => warned || result.warnings.length > 0 },
  { reason: 'TIME_BUDGET', stands: (_first, _settings, { remaining }) => remaining() <= 0 },
];

function skipped(settings: FuzzyFallback, tried: readonly number[], { result }: Pass): Pick<FallbackReport, 'passesSkipped' | 'skipReason'> {
  const left = settings.levels.length - tried.length;
  const found = result.events.some(({ type }) => type === 'match');
  return left === 0 || found || result.error !== undefined ? { passesSkipped: 0, skipReason: null } : { passesSkipped: left, skipReason: 'TIME_BUDGET' };
}
