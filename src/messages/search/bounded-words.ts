/**
 * What keeps one text from stopping all searching: FTS5 reads a list of rows for every word of an expression, and one for every
 * word of the store that begins with a prefix, as often as they are written (message-search.md 2.2, rule 2; D181).
 */

/** Words of an expression, those within phrases included. */
export const MAX_WORDS = 32;
/** Words of which only the beginning is given. */
export const MAX_PREFIXES = 8;
/** Characters of such a beginning; from two on there is an index of them. */
export const SHORTEST_PREFIX = 2;

/** What FTS5 may be asked, and what was changed in it. */
export interface BoundedWords {
  /** `undefined`: too much of it to be asked, and no list that could be cut. */
  readonly expression: string | undefined;
  readonly notes: readonly string[];
}

/**
 * An expression within the bounds. One that keeps them stays as it is; so does what is no FTS5 syntax, which costs nothing.
 *
 * @param shortest characters of a prefix; 1 for an engine that has an index of all beginnings
 */
export function boundedWords(expression: string, shortest = SHORTEST_PREFIX): BoundedWords {
  const pieces = piecesOf(expression);
  if (pieces === undefined) return { expression, notes: [] };
  const { kept, shortened } = withoutShortPrefixes(pieces, shortest);
  const list = listOf(kept);
  if (list === undefined) return structured(expression, kept, shortened);
  const { units, repeated, cut } = boundedList(list.units);
  const notes = [...shortened, ...(cut > 0 ? [TOO_LONG] : [])];
  if (notes.length === 0 && !repeated) return { expression, notes };
  return { expression: units.map(textOfUnit).join(list.operator === 'OR' ? ' OR ' : ' '), notes };
}

const TOO_LONG = `only the first ${MAX_WORDS} words and ${MAX_PREFIXES} prefixes were looked for`;

/** A word or phrase of FTS5, or one of its signs; AND, OR and NOT are signs. */
export type Piece = { readonly phrase: string; readonly words: readonly string[] } | { readonly sign: string };
type Phrase = Extract<Piece, { phrase: string }>;

const WORD = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;
const OPERATORS: ReadonlySet<string> = new Set(['AND', 'OR', 'NOT']);
/** As FTS5 reads: blanks, strings, words of letters, digits, `_` and everything beyond ASCII, and signs. */
const PIECE = /[ \t\r\n]+|((?:"[^"]*")+)|([A-Za-z0-9_\u0080-\u{10ffff}]+)|([(){}:,+*^-])/uy;

/** `undefined`: FTS5 finds no meaning in it. */
export function piecesOf(expression: string): readonly Piece[] | undefined {
  // FTS5 takes this sign for one of a word, in which it separates tokens as `_` does.
  const text = expression.replaceAll('\u001a', '_');
  const pieces: Piece[] = [];
  PIECE.lastIndex = 0;
  while (PIECE.lastIndex < text.length) {
    const found = PIECE.exec(text);
    if (found === null) return undefined;
    const [, quoted, bare, sign] = found;
    const phrase = quoted ?? bare;
    if (sign !== undefined) pieces.push({ sign });
    else if (bare !== undefined && OPERATORS.has(bare)) pieces.push({ sign: bare });
    else if (phrase !== undefined) pieces.push({ phrase, words: phrase.match(WORD) ?? [] });
  }
  return pieces;
}

function isStar(piece: Piece | undefined): boolean {
  return piece !== undefined && 'sign' in piece && piece.sign === '*';
}

/** The star behind a beginning that is too short goes: it is looked for as a word. */
function withoutShortPrefixes(pieces: readonly Piece[], shortest: number): { readonly kept: readonly Piece[]; readonly shortened: readonly string[] } {
  const kept: Piece[] = [];
  for (const piece of pieces) {
    const before = kept.at(-1);
    if (!isStar(piece) || before === undefined || 'sign' in before || !isTooShort(before, shortest)) kept.push(piece);
  }
  const shortened = kept.length === pieces.length ? [] : [`a prefix has at least ${shortest} characters; shorter ones were looked for as words`];
  return { kept, shortened };
}

/** Scripts in which one character is a word, or stands in the midst of unseparated ones. */
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

function isTooShort({ words }: Phrase, shortest: number): boolean {
  const last = words.at(-1) ?? '';
  return !DENSE.test(last) && [...last.normalize('NFD').replace(/\p{M}/gu, '')].length < shortest;
}

interface Unit {
  readonly phrase: Phrase;
  readonly isPrefix: boolean;
}

/** FTS5 finds no word in signs and marks alone. */
const HAS_WORD = /[\p{L}\p{N}\p{Co}]/u;

/**
 * Words and phrases that are joined by one and the same operator; `undefined` for everything else. FTS5 passes over a phrase
 * without words between blanks, and finds nothing for one behind AND: there the one cannot stand for the other.
 */
function listOf(pieces: readonly Piece[]): { readonly units: readonly Unit[]; readonly operator: 'AND' | 'OR' } | undefined {
  const units: Unit[] = [];
  let operator: 'AND' | 'OR' | undefined;
  let isJoined = true;
  let hasAnd = false;
  for (const [at, piece] of pieces.entries()) {
    if ('phrase' in piece) {
      if (!isJoined && operator === 'OR') return undefined;
      if (!isJoined) operator = 'AND';
      units.push({ phrase: piece, isPrefix: isStar(pieces[at + 1]) });
      isJoined = false;
    } else if (piece.sign === '*') {
      const before = pieces[at - 1];
      if (before === undefined || 'sign' in before) return undefined;
    } else {
      if (isJoined || (piece.sign !== 'AND' && piece.sign !== 'OR') || (operator ?? piece.sign) !== piece.sign) return undefined;
      operator = piece.sign;
      isJoined = true;
      hasAnd ||= piece.sign === 'AND';
    }
  }
  if (isJoined || (hasAnd && units.some(({ phrase }) => !HAS_WORD.test(phrase.phrase)))) return undefined;
  return { units, operator: operator ?? 'AND' };
}

/** Each unit once, the first ones that fit. */
function boundedList(units: readonly Unit[]): { readonly units: readonly Unit[]; readonly repeated: boolean; readonly cut: number } {
  const first = new Map<string, Unit>();
  for (const unit of units) {
    const text = textOfUnit(unit).toLowerCase();
    if (!first.has(text)) first.set(text, unit);
  }
  const distinct = [...first.values()];
  const kept: Unit[] = [];
  let [words, prefixes] = [0, 0];
  for (const unit of distinct) {
    const room = MAX_WORDS - words;
    if (room === 0) break;
    if (unit.isPrefix && prefixes === MAX_PREFIXES) continue;
    const fitting = unit.phrase.words.length <= room ? unit : { phrase: cutPhrase(unit.phrase, room), isPrefix: false };
    kept.push(fitting);
    // A phrase of signs alone is not free either.
    words += Math.max(1, fitting.phrase.words.length);
    prefixes += fitting.isPrefix ? 1 : 0;
  }
  const whole = (some: readonly Unit[]): number => some.reduce((sum, { phrase }) => sum + Math.max(1, phrase.words.length), 0);
  return { units: kept, repeated: distinct.length < units.length, cut: whole(distinct) - whole(kept) };
}

function cutPhrase({ words }: Phrase, room: number): Phrase {
  const left = words.slice(0, room);
  return { phrase: `"${left.join(' ')}"`, words: left };
}

function textOfUnit({ phrase, isPrefix }: Unit): string {
  return isPrefix ? `${phrase.phrase}*` : phrase.phrase;
}

/** Brackets, columns, NEAR and mixed operators: nothing can be left out of them without another meaning. */
function structured(expression: string, pieces: readonly Piece[], notes: readonly string[]): BoundedWords {
  const words = pieces.reduce((sum, piece) => sum + ('phrase' in piece ? Math.max(1, piece.words.length) : 0), 0);
  if (words > MAX_WORDS || pieces.filter(isStar).length > MAX_PREFIXES) return { expression: undefined, notes };
  return { expression: notes.length === 0 ? expression : pieces.map((piece) => ('phrase' in piece ? piece.phrase : piece.sign)).join(' '), notes };
}
