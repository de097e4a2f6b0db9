const PLAN = 'plan:';

/** What a notice says in place of a capability when it is about a plan. */
export const PLAN_NOTICE = 'PLAN';

/** The plan of a notice beside tasks, which are named by their ids: no task id can be this (`:`). */
export function planSubject(planSha256: string): string {
  return `${PLAN}${planSha256}`;
}

/** The hash of the plan that a notice is about; `undefined` for one about a task. */
export function planOfSubject(subject: string): string | undefined {
  return subject.startsWith(PLAN) ? subject.slice(PLAN.length) : undefined;
}
