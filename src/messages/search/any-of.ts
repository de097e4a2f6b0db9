import { piecesOf } from './bounded-words.ts';

/**
 * Any of the words and phrases of an expression, those behind NOT left out; a beginning stays one, columns and brackets go.
 * `undefined` where it has none, or is no FTS5 syntax.
 */
export function anyOf(expression: string): string | undefined {
  const pieces = piecesOf(expression) ?? [];
  const words: string[] = [];
  let isDropped = false;
  let depth = 0;
  for (const [at, piece] of pieces.entries()) {
    if ('sign' in piece) {
      if (piece.sign === 'NOT') [isDropped, depth] = [true, 0];
      if (piece.sign === '(' && isDropped) depth += 1;
      if (piece.sign === ')' && isDropped) depth -= 1;
      if (isDropped && depth <= 0 && piece.sign !== 'NOT' && piece.sign !== '*' && piece.sign !== ':') isDropped = false;
      continue;
    }
    const [next, afterNext] = [pieces[at + 1], pieces[at + 2]];
    const isColumn = next !== undefined && 'sign' in next && next.sign === ':';
    const isStar = next !== undefined && 'sign' in next && next.sign === '*';
    if (isColumn && afterNext !== undefined) continue;
    if (!isDropped) words.push(isStar ? `${piece.phrase}*` : piece.phrase);
    else if (depth <= 0) isDropped = false;
  }
  return words.length === 0 ? undefined : [...new Set(words)].join(' OR ');
}
