import { IMPORTANCES, type Importance, type RankingMode } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import { momentUs, type RangeEnd } from '../../../core/message-time.ts';

/** Words of a search in messages, as people and models write them (message-search.md 6). Blank means absent everywhere. */

/** A word and the name of the argument that it stands in. */
export interface Given {
  readonly field: string;
  readonly word: string;
}

/** Longest name or thread of a query. */
const MAX_NAME = 1024;

export function wordOf(field: string, value: string | undefined): Given | undefined {
  const word = value?.trim() ?? '';
  return word === '' ? undefined : { field, word };
}

/** @throws WritError INVALID_ARGUMENT */
export function nameOf(given: Given | undefined): string | undefined {
  if (given !== undefined && given.word.length > MAX_NAME) throw invalid(given.field, `must have at most ${MAX_NAME} characters`);
  return given?.word;
}

/** A list separated by commas. Throws WritError INVALID_ARGUMENT for a word that is no importance. */
export function importancesOf(given: Given | undefined): readonly Importance[] {
  const words = (given?.word ?? '')
    .split(',')
    .map((word) => word.trim().toLowerCase())
    .filter((word) => word !== '');
  const levels: readonly string[] = IMPORTANCES;
  const strange = words.find((word) => !levels.includes(word));
  if (given !== undefined && strange !== undefined) throw invalid(given.field, `${quoted(strange)} is none of ${IMPORTANCES.join(', ')}`);
  return IMPORTANCES.filter((level) => words.includes(level));
}

const RANKING_WORDS: ReadonlyMap<string, RankingMode> = new Map([
  ['relevance', 'relevance'],
  ['bm25', 'relevance'],
  ['recency', 'recency'],
  ['recent', 'recency'],
]);

/** @throws WritError INVALID_ARGUMENT */
export function rankingOf(given: Given | undefined): RankingMode | undefined {
  if (given === undefined) return undefined;
  const ranking = RANKING_WORDS.get(given.word.toLowerCase());
  if (ranking === undefined) throw invalid(given.field, `${quoted(given.word)} is neither relevance nor recency`);
  return ranking;
}

/** Microseconds since 1970. Throws WritError INVALID_ARGUMENT. */
export function momentOf({ field, word }: Given, end: RangeEnd): number {
  const moment = momentUs(word, end);
  if (moment === undefined) throw invalid(field, `${quoted(word)} is no moment: write 2026-01-31, or 2026-01-31T09:00:00Z`);
  return moment;
}

/** @throws WritError INVALID_ARGUMENT when the first is after the second */
export function timeRangeOf(start: (Given & { readonly us: number }) | undefined, end: { readonly us: number } | undefined) {
  if (start !== undefined && end !== undefined && start.us > end.us) throw invalid(start.field, 'the start is after the end');
  return start === undefined && end === undefined
    ? undefined
    : { ...(start === undefined ? {} : { min_ts: start.us }), ...(end === undefined ? {} : { max_ts: end.us }) };
}

export function invalid(field: string, message: string): WritError {
  return new WritError('INVALID_ARGUMENT', `${field}: ${message}`, { field });
}

const SHOWN = 64;

/** A word of the caller in a message. */
function quoted(word: string): string {
  return JSON.stringify(word.length > SHOWN ? `${word.slice(0, SHOWN)}…`.toWellFormed() : word.toWellFormed());
}
