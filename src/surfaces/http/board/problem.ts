import { Problem } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';

/** A problem document with the fields that Bull Board's pages show: `error` is the headline, `message` the text under it. */
export function shownProblem(text: string): string {
  const problem = Problem.parse(JSON.parse(text));
  return JSON.stringify({ ...problem, error: problem.title, message: problem.detail });
}

/** Everything but looking, retrying, and pausing and resuming queues. */
export function notAllowed(method: string): WritError {
  const what = method === 'GET' || method === 'HEAD' ? 'There is no such page on this board.' : 'This board only shows, retries, and pauses queues.';
  return new WritError('METHOD_NOT_ALLOWED', `${what} Tasks are pushed, cancelled and undone through the API or \`writ\`.`);
}
