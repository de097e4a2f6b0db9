import { ExecutionResult } from '../../src/contracts/index.ts';
import { retryAfterMs } from '../../src/core/outcome.ts';
import type { PlanStep } from '../../src/core/plan-step.ts';
import type { PlanContext, PlanDeliveryEnd, PlanDeps } from './context.ts';

/**
 * How long a declared retry is still waited for, milliseconds: since the attempt before was kept in the journal, so a worker that is killed
 * meanwhile does not begin the wait anew. A clock that was set back makes nobody wait longer than once more in this process, which counts by
 * its steady clock as well (docs/plan-protocol.md 8).
 */
export function backoffLeft({ replay }: Pick<PlanContext, 'replay'>, { path, waitMs }: PlanStep, clock: PlanDeps['clock']): number {
  if (waitMs === undefined || replay.last?.at === undefined) return 0;
  const { error } = ExecutionResult.parse(JSON.parse(replay.last.executorResult));
  const wait = Math.max(waitMs, retryAfterMs(error?.message ?? ''));
  const now = clock.monotonic();
  if (replay.backoff?.path !== path) replay.backoff = { path, since: now };
  const left = Math.min(replay.last.at + wait - clock.now(), replay.backoff.since + wait - now);
  return Math.max(0, Math.ceil(left));
}

/** The plan's slot is free while it waits; whoever cancels it wakes it. */
export async function parkedFor(plan: PlanContext, { path, tool, operation, manifest }: PlanStep, ms: number, { clock }: PlanDeps): Promise<PlanDeliveryEnd> {
  const current = { path, tool, operation, taskId: manifest.task_id, waits: { for: 'retry' as const, until: clock.now() + ms } };
  await plan.walk.show({ state: 'running', stepsDone: plan.replay.stepsDone, current, error: undefined, result: undefined });
  await plan.walk.shown();
  return { kind: 'parked', ms, isAnswered: async () => false };
}
