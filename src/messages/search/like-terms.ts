import { isOperator } from './sanitize.ts';

const MAX_TERMS = 5;
const SHORTEST_BYTES = 2;
/** Characters of a word of single letters and signs, and of a text that is looked for as it stands. */
const MAX_SIGNED = 100;

const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
const BETWEEN = /[^\p{L}\p{M}\p{N}._/-]+/u;
/** The apostrophe of `I'm` makes no name of it. */
const SIGN = /[^\p{L}\p{M}\p{N}\s'’]/u;
const OPENS = /^[\s"'“„‘«¿¡([{]+/u;
const CLOSES = /[\s"'”’»\]},.;:!?]+$/u;

/**
 * What is looked for as parts of title and body where FTS5 cannot be asked, each once, the first five: words of letters, digits
 * and `. _ / -`, at least two bytes long, without operators; words of single letters with the signs that make names of them
 * (`C++`, `f(x)`); where there is neither, a text with signs as it stands (`a && b`). Letters are those of Unicode: a word of
 * Chinese is a word. A full stop behind a word ends a sentence; other signs at its edges belong to it (`.gitignore`, `src/`).
 */
export function likeTerms(text: string): string[] {
  const found = text.split(/\s+/u).flatMap(termsOf);
  const words = found.filter((word) => LETTER_OR_DIGIT.test(word));
  // A dash between words is none of them.
  const terms = words.length > 0 ? words : found;
  return firstOf(terms.length > 0 ? terms : wholeText(text));
}

/** These terms without `. _ / -` at their edges: what they may have meant where no row has them. */
export function bareTerms(text: string): string[] {
  return firstOf(likeTerms(text).map((term) => (BETWEEN.test(term) ? term : term.replace(/^[._/-]+|[._/-]+$/gu, '')))).filter(isLong);
}

/** Letters and digits that stand alone, for an engine of words, where no term is long enough: parts of every text are no terms. */
export function singleLetters(text: string): string[] {
  return firstOf(text.split(/[^\p{L}\p{M}\p{N}]+/u).filter((word) => LETTER_OR_DIGIT.test(word) && !isOperator(word)));
}

function firstOf(terms: readonly string[]): string[] {
  return [...new Set(terms)].slice(0, MAX_TERMS);
}

/** The terms of a piece of a text between blanks. */
function termsOf(piece: string): readonly string[] {
  const words = piece.split(BETWEEN).map((word) => (LETTER_OR_DIGIT.test(word) ? word.replace(/\.+$/u, '') : word));
  const terms = words.filter((word) => isLong(word) && !isOperator(word));
  return terms.some((term) => LETTER_OR_DIGIT.test(term)) || !LETTER_OR_DIGIT.test(piece) ? terms : signed(piece);
}

function isLong(word: string): boolean {
  return Buffer.byteLength(word) >= SHORTEST_BYTES;
}

/** A word or text of single letters and signs, without those of its sentence; none where no sign is left. */
function signed(text: string): readonly string[] {
  if (text.length > MAX_SIGNED) return [];
  const bare = withoutSentence(text);
  return SIGN.test(bare) && bare.split(BETWEEN).some((word) => LETTER_OR_DIGIT.test(word) && !isOperator(word)) ? [bare] : [];
}

/** A text with signs between its letters: no operator of FTS5's, and more than marks and brackets. */
function wholeText(text: string): readonly string[] {
  const pieces = text.trim().split(/\s+/u);
  const isSigned = pieces.some((piece) => !LETTER_OR_DIGIT.test(piece) && withoutSentence(piece) !== '');
  return isSigned && !pieces.some(isOperator) ? signed(text) : [];
}

/** Without quotes, brackets and marks around it; a bracket that is opened within it stays closed. */
function withoutSentence(word: string): string {
  let bare = word.replace(OPENS, '');
  for (let before = ''; before !== bare; ) {
    before = bare;
    bare = bare.replace(CLOSES, '');
    if (bare.endsWith(')') && bare.split(')').length > bare.split('(').length) bare = bare.slice(0, -1);
  }
  return bare;
}
