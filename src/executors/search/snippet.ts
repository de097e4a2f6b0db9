import { stepBack, stepForward } from '../../core/code-points.ts';

const AROUND = 100;
const LONGEST = 200;

/**
 * The snippet of a match (search-executor.md 8): up to 100 code points before the match, the match, up to 100 after it,
 * of all this the first 200 code points (decision on SE-54 and SE-57). Line breaks stay.
 *
 * @param index where `query` begins in `text`, UTF-16
 */
export function snippetOf(text: string, index: number, query: string): string {
  const start = stepBack(text, index, AROUND);
  const end = Math.min(stepForward(text, index + query.length, AROUND), stepForward(text, start, LONGEST));
  return text.slice(start, end);
}
