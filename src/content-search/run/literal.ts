import type { BackendQuery, CaseFolding } from '../../core/ports/index.ts';
import { isLiteral } from '../ngram-index/query/query-plan.ts';

/** The literal that is sought, one character for each byte. */
export interface Literal {
  /** In small letters if case does not count. */
  readonly sought: string;
  readonly finder: Finder;
  /** Letters of it and the characters beyond ASCII that `-i` takes as equal to them: the probe of the backend has shown which of two it is. */
  readonly alike: readonly (readonly [letter: string, sign: string])[];
}

/** The place of the literal in that text from a place on; -1 if there is none. */
type Finder = (text: string) => (from: number) => number;

/** What is sought; undefined for a search of another kind. */
export function literalOf({ pattern, fixedStrings, wordRegexp, ignoreCase, fuzzy }: BackendQuery, folding: CaseFolding): Literal | undefined {
  const isSimple =
    fuzzy === 0 && !wordRegexp && folding !== 'UNKNOWN' && pattern.isWellFormed() && !/[\0\r\n]/.test(pattern) && isLiteral(pattern, fixedStrings);
  if (!isSimple) return undefined;
  const bytes = Buffer.from(pattern).toString('latin1');
  if (!ignoreCase) return { sought: bytes, finder: (text) => (from) => text.indexOf(bytes, from), alike: [] };
  if (bytes !== pattern) return undefined;
  const sought = bytes.toLowerCase();
  const alike = folding === 'UNICODE_SIMPLE' ? ALIKE.filter(([letter]) => sought.includes(letter)) : [];
  return { sought, finder: finderInAnyCase(sought), alike: alike.map(([letter, sign]) => [letter, Buffer.from(sign).toString('latin1')]) };
}

/** An expression looks at each letter of the literal anew at every place of a text: of so many that is still little. */
const MAX_EXPRESSION = 32;

/** Small letters of a whole file cost more than to look for the literal. It is ASCII, so that no letter beyond is taken for one of it. */
function finderInAnyCase(sought: string): Finder {
  if (sought.length > MAX_EXPRESSION) {
    return (text) => {
      const small = text.toLowerCase();
      return (from) => small.indexOf(sought, from);
    };
  }
  const signs = Array.from(sought, (sign) => `\\x${sign.charCodeAt(0).toString(16).padStart(2, '0')}`);
  const expression = new RegExp(signs.join(''), 'gi');
  return (text) => (from) => {
    expression.lastIndex = from;
    return expression.exec(text)?.index ?? -1;
  };
}

/** The Kelvin sign and the long s. */
const ALIKE = [
  ['k', '\u212a'],
  ['s', '\u017f'],
] as const;

/**
 * Whether the text is there when signs count as their letters: where exactly, a backend must say. Time that grows with the file
 * only, whatever is sought in whatever: an expression for `sss…` would look back at every letter.
 */
export function isSpelt(text: string, sought: string, signs: Literal['alike']): boolean {
  const spelt = signs.reduce((known, [letter, sign]) => known.replaceAll(sign, letter), text);
  return spelt.toLowerCase().includes(sought);
}
