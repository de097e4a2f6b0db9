import { type Html, html, part, visible } from './html.ts';
import { CONSOLE_PATH } from './page.ts';

/** Characters of an id. */
const ID = 48;

export function taskLink(taskId: string): Html {
  return html`<a href="${CONSOLE_PATH}/tasks/${part(taskId)}">${visible(taskId, ID)}</a>`;
}

/** A link by the first digits of the hash. */
export function planLink(planSha256: string, before = ''): Html {
  return html`<a href="${CONSOLE_PATH}/plans/${part(planSha256)}">${before}${planSha256.slice(0, 16)}…</a>`;
}

/** To what a row is about: a task, or a plan. */
export function subjectLink({ task_id, plan_id }: { readonly task_id?: string | undefined; readonly plan_id?: string | undefined }): Html | undefined {
  if (plan_id !== undefined) return planLink(plan_id, 'plan ');
  return task_id === undefined ? undefined : taskLink(task_id);
}
