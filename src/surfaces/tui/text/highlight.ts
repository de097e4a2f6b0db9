/** A part of a line, and whether it is one of the words that were looked for. */
export interface Segment {
  readonly text: string;
  readonly hit: boolean;
}

/** A word that was looked for: all of it, or its beginning. */
interface Term {
  readonly word: string;
  readonly prefix: boolean;
}

const MAX_TERMS = 8;
const OPERATORS = new Set(['and', 'or', 'not', 'near']);
const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** Endings that the index removes, roughly (it has Porter's stemmer): enough to mark words. */
const ENDING = /(?:at(?:ions?|ings?|ed|es?|ors?)|ings?|ions?|ies|ers?|ed|es|s|y|e)$/;

/** The words of a query to mark, at most eight, without words after NOT. */
export function termsOf(query: string): Term[] {
  const terms = new Map<string, Term>();
  for (const match of query.replace(/\bNOT\s+("[^"]*"|\S+)/g, ' ').matchAll(WORD)) {
    const word = fold(match[0]);
    const after = query[match.index + match[0].length];
    if (!OPERATORS.has(word) && terms.size < MAX_TERMS) terms.set(word, { word, prefix: after === '*' });
  }
  return [...terms.values()];
}

/** A line in parts, with the words of the query marked. */
export function highlight(line: string, terms: readonly Term[]): Segment[] {
  const segments: Segment[] = [];
  let from = 0;
  for (const match of terms.length === 0 ? [] : line.matchAll(WORD)) {
    if (!terms.some((term) => means(term, fold(match[0])))) continue;
    if (match.index > from) segments.push({ text: line.slice(from, match.index), hit: false });
    segments.push({ text: match[0], hit: true });
    from = match.index + match[0].length;
  }
  if (from < line.length || segments.length === 0) segments.push({ text: line.slice(from), hit: false });
  return segments;
}

/** The index of the first line with a word of the query; -1 without one. */
export function firstHit(lines: readonly string[], terms: readonly Term[]): number {
  return lines.findIndex((line) => highlight(line, terms).some(({ hit }) => hit));
}

function means({ word, prefix }: Term, other: string): boolean {
  if (prefix) return other.startsWith(word);
  return other === word || (word.length > 3 && other.length > 3 && stem(other) === stem(word));
}

const stem = (word: string): string => {
  const cut = word.replace(ENDING, '');
  return cut.length < 3 ? word : cut;
};

/** A word without case and without diacritics, as the index has it. */
function fold(word: string): string {
  return word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}
