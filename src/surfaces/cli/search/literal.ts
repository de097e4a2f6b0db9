import type { ContentSearchRequest } from '../../../contracts/index.ts';

/** What means something else than itself in the regular expressions of a backend. */
const SPECIAL = /[\\^$.|?*+()[\]{}]/;

/**
 * Splits a line into what matches and what does not: `[plain, match, plain, match, …]`. The answer of the tool has no
 * columns, so only a pattern that stands for itself can be found again; with any other the line is one plain piece.
 */
export function literalPieces({ pattern, fixed_strings, case: letters, fuzzy }: ContentSearchRequest): (line: string) => readonly string[] {
  if (fuzzy !== undefined || (fixed_strings !== true && SPECIAL.test(pattern))) return (line) => [line];
  const insensitive = letters === 'insensitive' || (letters !== 'sensitive' && !/\p{Lu}/u.test(pattern));
  const literal = new RegExp(`(${pattern.replace(new RegExp(SPECIAL, 'g'), '\\$&')})`, insensitive ? 'iu' : 'u');
  return (line) => line.split(literal);
}
