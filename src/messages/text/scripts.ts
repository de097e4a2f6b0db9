/**
 * Scripts that are written without blanks between words, or whose words take endings without one. SQLite's tokens are whole
 * runs of their letters, so that no part of a sentence could be found (D235).
 */
const LETTERS = '\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Hang}\\p{scx=Bopo}\\p{scx=Yiii}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}';

/** A run of letters of one kind, marks included: unsegmented ones, or all others with their digits. */
const RUNS = new RegExp(`((?:(?=[\\p{L}\\p{N}\\p{M}])[${LETTERS}])+)|((?:(?![${LETTERS}])[\\p{L}\\p{N}\\p{M}])+)`, 'gu');
const UNSEGMENTED = new RegExp(`(?=[\\p{L}\\p{N}])[${LETTERS}]`, 'u');

export interface Run {
  readonly text: string;
  readonly isUnsegmented: boolean;
  /** Whether it stands beside a run of the other kind without anything between. */
  readonly isJoined: boolean;
}

/** Whether a text has a letter of a script that is written without blanks. */
export function hasUnsegmented(text: string): boolean {
  return UNSEGMENTED.test(text);
}

/** The runs of letters and digits of a text, in their order. */
export function runsOf(text: string): Run[] {
  const found = [...text.matchAll(RUNS)];
  return found.map(({ 0: run, 1: unsegmented, index }, at) => {
    const [before, after] = [found[at - 1], found[at + 1]];
    const isJoined = (before !== undefined && before.index + before[0].length === index) || after?.index === index + run.length;
    return { text: run, isUnsegmented: unsegmented !== undefined, isJoined };
  });
}

/** Letters without the marks that SQLite takes for blanks. */
function bareLetters(run: string): string[] {
  return [...run.normalize('NFC').replace(/\p{M}/gu, '')];
}

/** Each pair of neighbours, and the last letter alone, so that every part of the run is a sequence of these. */
export function pairsOf(run: string): string[] {
  const letters = bareLetters(run);
  return letters.map((letter, index) => letter + (letters[index + 1] ?? ''));
}

/** What a part of a run is as a sequence of pairs; one letter alone is the beginning of a pair. */
export function pairsAsked(run: string): { readonly pairs: readonly string[]; readonly isBeginning: boolean } {
  const letters = bareLetters(run);
  if (letters.length < 2) return { pairs: letters, isBeginning: true };
  return { pairs: pairsOf(run).slice(0, -1), isBeginning: false };
}
