import { isOperator } from './sanitize.ts';

const MAX_TERMS = 5;
const SHORTEST_BYTES = 2;

/**
 * The words that are looked for as parts of title and body where FTS5 cannot be asked: runs of letters, digits and
 * `. _ / -`, at least two bytes long, without operators, each once, the first five. Letters are those of Unicode: a word of
 * Chinese is a word.
 */
export function likeTerms(text: string): string[] {
  const words = text.split(/[^\p{L}\p{M}\p{N}._/-]+/u).filter((word) => Buffer.byteLength(word) >= SHORTEST_BYTES && !isOperator(word));
  return [...new Set(words)].slice(0, MAX_TERMS);
}
