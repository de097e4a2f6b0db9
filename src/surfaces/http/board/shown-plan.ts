import { PlanLeaseToken } from '../../../contracts/index.ts';
import { canonicalJson } from '../../../core/canonical-json.ts';
import { isWritError } from '../../../core/errors.ts';
import { sha256Hex } from '../../../core/hash.ts';
import { shownExpiry } from './shown-lease.ts';
import { count, cut, MAX } from './shown-text.ts';

/** A plan's job: the plan's id, whether the job has an id of its own, and its lease. The envelope holds memory and parameters, which are not for the board. */
export interface ShownPlan {
  readonly id: string;
  readonly own: boolean;
  readonly lease: string | undefined;
}

const JOB_ID = /^p_([0-9a-f]{64})$/;

/** The plan that a job stands for. */
export function planOfJob(jobId: string): string | undefined {
  return JOB_ID.exec(jobId)?.[1];
}

/** The plan that a job under another id carries. */
export function planOfData(data: unknown): string | undefined {
  const envelope = memberOf(data, 'envelope');
  try {
    return typeof envelope === 'object' && envelope !== null ? sha256Hex(canonicalJson(envelope)) : undefined;
  } catch (error) {
    if (isWritError(error)) return undefined;
    throw error;
  }
}

export function planOf(jobId: string, data: unknown): ShownPlan | undefined {
  // The envelope is judged elsewhere; nothing of it is shown.
  if (memberOf(data, 'envelope') === undefined) return undefined;
  const named = planOfJob(jobId);
  const id = named ?? planOfData(data);
  if (id === undefined) return undefined;
  return { id, own: named === undefined, lease: PlanLeaseToken.safeParse(memberOf(data, 'lease')).data };
}

/** How far a plan is, its own job tells; another one only waits for it. `progress` as the plan's worker writes it: `{done, current}`, the number of steps with an answer and the place of the next. */
export function shownPlan({ id, own, lease }: ShownPlan, progress: unknown, now: number): Record<string, unknown> {
  const current = cut(memberOf(progress, 'current'), MAX.path);
  return {
    plan_id: id,
    ...(own ? {} : { steps_done: count(memberOf(progress, 'done')) ?? 0 }),
    ...(own || current === '' ? {} : { current_step: current }),
    lease_expires: shownExpiry(lease, now),
    plan: `/v1/plans/${id}`,
  };
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}
