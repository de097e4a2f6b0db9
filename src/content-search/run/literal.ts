import type { BackendQuery, CaseFolding } from '../../core/ports/index.ts';
import { isLiteral } from '../ngram-index/query/query-plan.ts';
import { type Finder, finderInAnyCase } from './any-case.ts';

/** Text that a search looks for as it is written, as its bytes. */
export interface Literal {
  readonly finder: Finder;
  /** Whether there is a sign in the bytes that counts as a letter of the text, and the text may be spelt with it. */
  readonly alike: (bytes: Buffer) => 'no sign' | 'spelt' | 'not spelt';
}

/** What is sought; undefined for a search of another kind. */
export function literalOf({ pattern, fixedStrings, wordRegexp, ignoreCase, fuzzy }: BackendQuery, folding: CaseFolding): Literal | undefined {
  const isSimple =
    fuzzy === 0 && !wordRegexp && folding !== 'UNKNOWN' && pattern.isWellFormed() && !/[\0\r\n]/.test(pattern) && isLiteral(pattern, fixedStrings);
  if (!isSimple) return undefined;
  const sought = Buffer.from(pattern);
  if (!ignoreCase) return { finder: (bytes) => (from) => bytes.indexOf(sought, from), alike: () => 'no sign' };
  if (sought.length !== pattern.length) return undefined;
  const small = pattern.toLowerCase();
  const signs = folding === 'UNICODE_SIMPLE' ? ALIKE.filter(({ letter }) => small.includes(letter)) : [];
  return { finder: finderInAnyCase(small), alike: (bytes) => spelling(bytes, small, signs) };
}

interface Alike {
  readonly letter: string;
  readonly sign: Buffer;
}

/** Characters beyond ASCII that `-i` takes for a letter of it: the Kelvin sign and the long s. The probe of the backend has shown whether it does. */
const ALIKE: readonly Alike[] = [
  { letter: 'k', sign: Buffer.from('\u212a') },
  { letter: 's', sign: Buffer.from('\u017f') },
];

/**
 * Whether the text is there when signs count as their letters: where exactly, a backend must say. Time that grows with the file
 * only, whatever is sought in whatever: an expression for `sss…` would look back at every letter.
 */
function spelling(bytes: Buffer, sought: string, known: readonly Alike[]): ReturnType<Literal['alike']> {
  const signs = known.filter(({ sign }) => bytes.includes(sign));
  if (signs.length === 0) return 'no sign';
  const spelt = signs.reduce((text, { letter, sign }) => text.replaceAll(sign.toString('latin1'), letter), bytes.toString('latin1'));
  return spelt.toLowerCase().includes(sought) ? 'spelt' : 'not spelt';
}
