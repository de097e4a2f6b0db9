/**
 * Letters whose accents and points FTS5 keeps, or takes for blanks: its `remove_diacritics` knows Latin, but for these few. Words are
 * compared without them (docs/message-search.md). In other scripts marks are vowels or other letters, and stay (D471).
 */
const LETTER = '(?=\\p{L})[\\p{Script=Greek}\\p{Script=Cyrillic}\\p{Script=Arabic}\\p{Script=Hebrew}ǠǡǢǣǮǯǼǽǾǿ]';
const RUNS = new RegExp(`${LETTER}(?:${LETTER}|\\p{M})*`, 'gu');

/** A text without the accents and points that FTS5 does not leave out itself; the same text where it has none of them. */
export function withoutMarks(text: string): string {
  return text.replace(RUNS, (run) => run.normalize('NFD').replace(/\p{M}+/gu, ''));
}
