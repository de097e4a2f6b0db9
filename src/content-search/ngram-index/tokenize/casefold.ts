import { CASE_FOLDING_RUNS, CASE_FOLDING_VERSION } from './casefold-table.ts';

/**
 * How letters are compared when case does not count (FR-LSI-TOK-04): one code point at a time, without a locale.
 * ASCII: only A to Z. UNICODE_SIMPLE: types C and S of CaseFolding.txt.
 */
export type CasefoldStrategy = 'ASCII' | 'UNICODE_SIMPLE';

const FOLDS = unfoldRuns(CASE_FOLDING_RUNS);
const CLASSES = classesOf(FOLDS);

const FOLD_POINT = {
  ASCII: (point: number): number => (point >= 0x41 && point <= 0x5a ? point + 0x20 : point),
  UNICODE_SIMPLE: (point: number): number => FOLDS.get(point) ?? point,
} satisfies Record<CasefoldStrategy, (point: number) => number>;

/** A strategy and the version of its table, for the identity of the tokenizer. */
export const STRATEGY_ID = { ASCII: 'ASCII', UNICODE_SIMPLE: `UNICODE_SIMPLE@${CASE_FOLDING_VERSION}` } satisfies Record<CasefoldStrategy, string>;

/** Whether a word, for instance one of stored metadata, names a strategy (FR-LSI-TOK-04). */
export function isCasefoldStrategy(word: string): word is CasefoldStrategy {
  return Object.hasOwn(FOLD_POINT, word);
}

/** The text folded, code point by code point: it keeps its number of code points. */
export function foldText(text: string, strategy: CasefoldStrategy): string {
  const fold = FOLD_POINT[strategy];
  let folded = '';
  for (const character of text) folded += String.fromCodePoint(fold(character.codePointAt(0) ?? 0));
  return folded;
}

/**
 * All n-grams that a backend of this strategy may take as equal to `gram` when case does not count, itself among them.
 * The Kelvin sign and the long s count as k and s under both strategies: a lookup more costs nothing, one too few would lose
 * a file if a backend folded more than it showed (search-rules 23).
 *
 * @param asked what a backend said of letters beyond ASCII, each with all that it takes as equal; without, the table counts
 * @returns undefined if there are more than `limit`, or nothing was said of a letter
 */
export function caseVariants(gram: string, strategy: CasefoldStrategy, limit: number, asked?: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  let variants = [''];
  for (const character of gram) {
    const point = character.codePointAt(0) ?? 0;
    const members = asked === undefined || point < 0x80 ? CLASS_OF[strategy](point).map((one) => String.fromCodePoint(one)) : asked.get(character);
    if (members === undefined) return undefined;
    if (variants.length * members.length > limit) return undefined;
    variants = variants.flatMap((begin) => members.map((member) => begin + member));
  }
  return variants;
}

const CLASS_OF = {
  ASCII: (point: number): readonly number[] => (point < 0x80 ? classOf(point) : [point]),
  UNICODE_SIMPLE: classOf,
} satisfies Record<CasefoldStrategy, (point: number) => readonly number[]>;

/** All code points with the same simple folding. */
function classOf(point: number): readonly number[] {
  return CLASSES.get(FOLD_POINT.UNICODE_SIMPLE(point)) ?? [point];
}

function unfoldRuns(runs: readonly number[]): ReadonlyMap<number, number> {
  const folds = new Map<number, number>();
  for (let row = 0; row < runs.length; row += 4) {
    const [first = 0, last = 0, step = 1, distance = 0] = runs.slice(row, row + 4);
    for (let point = first; point <= last; point += step) folds.set(point, point + distance);
  }
  return folds;
}

/** From what a class folds to, to its members. */
function classesOf(folds: ReadonlyMap<number, number>): ReadonlyMap<number, readonly number[]> {
  const classes = new Map<number, number[]>();
  for (const [from, to] of folds) {
    const members = classes.get(to);
    if (members === undefined) classes.set(to, [to, from]);
    else members.push(from);
  }
  return classes;
}
