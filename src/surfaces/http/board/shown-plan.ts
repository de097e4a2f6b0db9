import { PlanLeaseToken } from '../../../contracts/index.ts';
import { shownExpiry } from './shown-lease.ts';
import { count, cut, MAX } from './shown-text.ts';

/** A plan's job: its id and its lease. The envelope holds memory and parameters, which are not for the board. */
export interface ShownPlan {
  readonly id: string;
  readonly lease: string | undefined;
}

const JOB_ID = /^p_([0-9a-f]{64})$/;

/** The plan that a job stands for. */
export function planOfJob(jobId: string): string | undefined {
  return JOB_ID.exec(jobId)?.[1];
}

export function planOf(jobId: string, data: unknown): ShownPlan | undefined {
  const id = planOfJob(jobId);
  // The envelope is judged elsewhere; nothing of it is shown.
  if (id === undefined || memberOf(data, 'envelope') === undefined) return undefined;
  return { id, lease: PlanLeaseToken.safeParse(memberOf(data, 'lease')).data };
}

/** `progress` as the plan's worker writes it: `{done, current}`, the number of steps with an answer and the place of the next. */
export function shownPlan({ id, lease }: ShownPlan, progress: unknown, now: number): Record<string, unknown> {
  const current = cut(memberOf(progress, 'current'), MAX.path);
  return {
    plan_id: id,
    steps_done: count(memberOf(progress, 'done')) ?? 0,
    ...(current === '' ? {} : { current_step: current }),
    lease_expires: shownExpiry(lease, now),
    plan: `/v1/plans/${id}`,
  };
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}
