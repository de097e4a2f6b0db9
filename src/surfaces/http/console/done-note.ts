import type { FastifyRequest } from 'fastify';
import { type Html, html } from './html.ts';
import { queryOf } from './page.ts';

/** What was asked for on the page before; only words of ours are shown. */
const DONE: Readonly<Record<string, string>> = {
  retry: 'It runs again.',
  undo: 'This task takes back what the other one did.',
  'plan-undo': 'This plan takes back what the other one did, its last step first.',
  approve: 'It was approved: the plan goes on.',
  deny: 'It was denied: the step fails.',
  cancel: 'A cancel is asked; the outcome tells whether it came in time.',
  end: 'The session has ended.',
  pause: 'It is paused, and makes nothing until it is resumed.',
  resume: 'It makes tasks or plans again, from now on.',
  remove: 'It is removed; what it put on the queue goes on.',
  resend: 'It is due again, with all its attempts.',
  'test-taken': 'The receiver has taken a notice of the type webhook.test.',
  'test-failed': 'The receiver did not take a notice of the type webhook.test; `writ webhooks test` says why.',
};

/** A line about what a form has done, on the page to which it leads. */
export function doneNote(request: FastifyRequest): Html | undefined {
  const words = DONE[queryOf(request).get('done') ?? ''];
  return words === undefined ? undefined : html`<p class="note" role="status">${words}</p>`;
}
