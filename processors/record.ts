import type { Execution } from '../src/core/outcome.ts';
import type { RecordAnswer, RecordRequest } from '../src/core/ports/index.ts';
import { claimRequest } from './claim.ts';
import type { ClaimedDelivery } from './context.ts';
import { conflict } from './refuse.ts';
import { type Answered, answered, answeredWith, type DeliveryEnd } from './settle.ts';

/** What became of a claimed task: how its executor ended, or what this host's journal says of an earlier run. */
export type TaskResolution =
  | Execution
  /** The exact signed result of an earlier run. */
  | { readonly kind: 'finished'; readonly result: string }
  /** The journal knows the task_id under another manifest. */
  | { readonly kind: 'conflict' };

/**
 * Step 6: sign, close the journal (durable), then the ledger. In this order, so that what Redis calls finished is
 * finished on the host. Resolutions without an outcome give the claim back.
 */
export async function record(context: ClaimedDelivery, resolution: TaskResolution): Promise<DeliveryEnd> {
  const { deps, task, executor } = context;
  const { manifest, manifestSha256, epoch } = task;
  switch (resolution.kind) {
    case 'outcome': {
      const result = await deps.signer.sign(manifest, manifestSha256, resolution.outcome);
      await executor.memory?.conclude(task, resolution.outcome.status, result);
      return write(context, answeredWith(resolution.outcome, result));
    }
    case 'finished':
      return write(context, answered(resolution.result));
    case 'conflict':
      await deps.ledger.release(manifest.task_id, epoch);
      return conflict(context);
    case 'busy':
      await deps.ledger.release(manifest.task_id, epoch);
      return { kind: 'busy', why: resolution.why };
    case 'interrupted':
      await deps.ledger.release(manifest.task_id, epoch);
      return { kind: 'interrupted', reason: resolution.reason };
  }
}

async function write(context: ClaimedDelivery, end: Answered): Promise<DeliveryEnd> {
  const { deps, task } = context;
  const { status, code: errorCode, result } = end;
  const request = { taskId: task.manifest.task_id, epoch: task.epoch, status, errorCode, result, now: deps.clock.now() };
  let answer: RecordAnswer = await deps.ledger.record(request);
  if (answer === 'lost') answer = await recordAfterLoss(context, request);
  return answer === 'recorded' ? end : { kind: 'interrupted', reason: 'stale' };
}

/** The row went with Redis: rebuild, claim the empty place, write. A SUCCESS came back with the journal already. */
async function recordAfterLoss(context: ClaimedDelivery, request: RecordRequest): Promise<RecordAnswer> {
  const { deps } = context;
  await deps.recoverLedger();
  const answer = await deps.ledger.claim(claimRequest(context));
  if (answer.kind === 'finished') return answer.result === request.result ? 'recorded' : 'stale';
  return 'epoch' in answer ? deps.ledger.record({ ...request, epoch: answer.epoch }) : 'stale';
}
