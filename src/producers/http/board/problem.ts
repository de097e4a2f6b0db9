import type { Problem } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import { problemOf } from '../problem.ts';

/** A problem document that Bull Board's pages can show: they read `error` as headline and `message` as the text under it. */
export interface BoardProblem extends Problem {
  readonly error: string;
  readonly message: string;
}

export function boardProblem(error: unknown): BoardProblem {
  const problem = problemOf(error);
  return { ...problem, error: problem.title, message: problem.detail };
}

/** Everything but looking and retrying. */
export function notAllowed(method: string): WritError {
  const what = method === 'GET' || method === 'HEAD' ? 'There is no such page on this board.' : 'This board only shows and retries.';
  return new WritError('METHOD_NOT_ALLOWED', `${what} Tasks are pushed, cancelled and undone through the API or \`writ\`.`);
}
