import { characters } from '../text/cells.ts';
import type { TuiState } from './state.ts';

type Line = Pick<TuiState, 'text' | 'caret'>;

/** Longest query that can be typed, UTF-16 units. */
const LONGEST = 2000;

/** Edits of the query box. The caret moves by what a person calls a character. */
export const EDITS = {
  left: ({ text, caret }: Line): Line => ({ text, caret: caret - lastLength(text.slice(0, caret)) }),
  right: ({ text, caret }: Line): Line => ({ text, caret: caret + (characters(text.slice(caret))[0]?.length ?? 0) }),
  home: ({ text }: Line): Line => ({ text, caret: 0 }),
  end: ({ text }: Line): Line => ({ text, caret: text.length }),
  backspace: ({ text, caret }: Line): Line => cut(text, caret - lastLength(text.slice(0, caret)), caret),
  clear: (): Line => ({ text: '', caret: 0 }),
  cutBefore: ({ text, caret }: Line): Line => cut(text, 0, caret),
  cutAfter: ({ text, caret }: Line): Line => cut(text, caret, text.length),
  cutWord: ({ text, caret }: Line): Line => cut(text, text.slice(0, caret).replace(/\S+\s*$/u, '').length, caret),
} as const;

/** Typed or pasted text at the caret: one line, without control characters. */
export function insert({ text, caret }: Line, typed: string): Line {
  const clean = typed
    .toWellFormed()
    .replace(/\s+/g, ' ')
    .replace(/\p{Cc}/gu, '');
  const room = Math.max(0, LONGEST - text.length);
  const kept = clean.length > room ? clean.slice(0, room).toWellFormed() : clean;
  return { text: text.slice(0, caret) + kept + text.slice(caret), caret: caret + kept.length };
}

function cut(text: string, from: number, to: number): Line {
  return { text: text.slice(0, from) + text.slice(to), caret: from };
}

const lastLength = (text: string): number => characters(text).at(-1)?.length ?? 0;
