import type { EngineMatch } from '../../core/ports/message-engine.ts';
import { piecesOf } from './bounded-words.ts';

/** A letter before a digit, `_` between letters, a capital behind a small letter: nobody writes a word of a language so. */
const NAME = /[\p{L}\p{M}]\p{N}|\p{N}\p{L}|[\p{L}\p{N}]_+[\p{L}\p{N}]|\p{Ll}\p{Lu}/u;

/**
 * What rows must have for a text to stand in them as it was typed: the expression, where a phrase or a name (path, URL,
 * identifier) is in it and all of it must match; of a plain list of words these as one name. `undefined`: it asks for words.
 */
export function exactExpression({ expression, also }: Extract<EngineMatch, { by: 'words' }>): string | undefined {
  const pieces = piecesOf(expression) ?? [];
  const isList = pieces.every((piece) => 'phrase' in piece || piece.sign === 'AND');
  return isList && pieces.some((piece) => 'phrase' in piece && isExact(piece.phrase)) ? expression : also;
}

function isExact(phrase: string): boolean {
  return phrase.startsWith('"') || NAME.test(phrase);
}
