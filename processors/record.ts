import { leavesTask } from '../src/contracts/index.ts';
import { isWritError } from '../src/core/errors.ts';
import { checkedResult } from '../src/core/ledger-life.ts';
import type { Execution, Outcome } from '../src/core/outcome.ts';
import { isStepOfPlan } from '../src/core/plan-step.ts';
import type { RecordAnswer, RecordRequest } from '../src/core/ports/index.ts';
import { claimRequest } from './claim-request.ts';
import type { AuthenticatedDelivery, ClaimedDelivery } from './context.ts';
import { wakeParked } from './parking.ts';
import { conflict } from './refuse.ts';
import { type Answered, answered, answeredWith, type DeliveryEnd, mayRunAgain } from './settle.ts';

/** What became of a claimed task: how its executor ended, or what this host's journal says of an earlier run. */
export type TaskResolution =
  | Execution
  /** The exact signed result of an earlier run. */
  | { readonly kind: 'finished'; readonly result: string }
  /** The journal knows the task_id under another manifest. */
  | { readonly kind: 'conflict' }
  /** Nothing more is tried. The journal is not told: its attempt says what it knows to whoever asks next. */
  | { readonly kind: 'given-up'; readonly outcome: Outcome };

/**
 * Step 6: sign, close the journal (durable), then the ledger. In this order, so that what Redis calls finished is
 * finished on the host. Resolutions without an outcome give the claim back.
 */
export async function record(context: ClaimedDelivery, resolution: TaskResolution): Promise<DeliveryEnd> {
  const { deps, task } = context;
  const { manifest, manifestSha256, epoch } = task;
  switch (resolution.kind) {
    case 'outcome': {
      // What the ledger will not keep must not be final in the journal.
      const result = checkedResult(await deps.signer.sign(manifest, manifestSha256, resolution.outcome));
      const elsewhere = await concluded(context, resolution.outcome.status, result);
      return elsewhere ?? write(context, answeredWith(resolution.outcome, result));
    }
    case 'given-up':
      return write(context, answeredWith(resolution.outcome, await deps.signer.sign(manifest, manifestSha256, resolution.outcome)));
    case 'finished':
      return write(context, answered(resolution.result));
    case 'conflict':
      await deps.ledger.release(manifest.task_id, epoch, undefined, deps.instance);
      return conflict(context);
    case 'busy':
      await deps.ledger.release(manifest.task_id, epoch, undefined, deps.instance);
      return { kind: 'busy', why: resolution.why };
    case 'interrupted':
      await deps.ledger.release(manifest.task_id, epoch, undefined, deps.instance);
      return { kind: 'interrupted', reason: resolution.reason };
  }
}

async function write(context: ClaimedDelivery, end: Answered): Promise<DeliveryEnd> {
  const { deps, task } = context;
  const { status, code: errorCode, result } = end;
  const request = {
    taskId: task.manifest.task_id,
    epoch: task.epoch,
    owner: deps.instance,
    status,
    errorCode,
    result,
    now: deps.clock.now(),
    wish: context.wish,
    goesOn: goesOn(end, context),
  };
  let answer: RecordAnswer = await deps.ledger.record(request);
  if (answer === 'lost') answer = await recordAfterLoss(context, request);
  // What stands is this outcome: its first answer was lost, and with it whether jobs are parked.
  if (answer === 'stale' && (await isRecorded(context, result))) answer = 'awaited';
  if (answer === 'awaited') await wakeNext(end, context);
  return answer === 'recorded' || answer === 'awaited' ? end : STALE;
}

/** Whether a job may run the task again though nobody asks anew: the queue's next attempt, or, after an end that speaks of one lease, any. */
function goesOn(end: Answered, { delivery, manifest }: ClaimedDelivery): boolean {
  if (end.status === 'SUCCESS') return false;
  return (delivery.hasAttemptsLeft === true && mayRunAgain(end)) || leavesTask(end.code ?? '', isStepOfPlan(manifest));
}

/** Wakes whom this end answers, or the one whose lease may be better. */
export function wakeNext({ code }: Answered, { deps, manifest }: AuthenticatedDelivery): Promise<void> {
  return wakeParked(manifest.task_id, deps, code !== undefined && leavesTask(code, isStepOfPlan(manifest)));
}

/** A later claim answers the task. */
const STALE: DeliveryEnd = { kind: 'interrupted', reason: 'stale' };

/**
 * Closes the attempt. Where it is open no more, somebody has ended it while this worker stood still, or while Redis had forgotten
 * the claims: then the claim is another's, or it is this worker's to tell what the journal has, if that is an end. Withdrawn is none:
 * whoever comes next asks anew. That answer is returned.
 */
async function concluded(context: ClaimedDelivery, status: Outcome['status'], result: string): Promise<DeliveryEnd | undefined> {
  const { deps, task, executor } = context;
  const { task_id: taskId } = task.manifest;
  try {
    await executor.memory?.conclude(task, status, result);
    return undefined;
  } catch (error) {
    if (!isWritError(error) || error.code !== 'WRONG_STATE') throw error;
    const row = await deps.ledger.row(taskId);
    if (row?.state !== 'running' || row.epoch !== task.epoch || row.owner !== deps.instance) return STALE;
    const recall = await executor.memory?.recall(taskId);
    const isEnd = recall?.kind === 'finished' || (recall?.kind === 'doubtful' && recall.jti === context.lease.jti);
    if (isEnd && recall.manifestSha256 === task.manifestSha256) return write(context, answered(recall.result));
    await deps.ledger.release(taskId, task.epoch, undefined, deps.instance);
    return { kind: 'busy', why: 'the attempt was ended elsewhere' };
  }
}

/** A record whose answer was lost, or a row that came back from the journal meanwhile: what stands is exactly this outcome. */
async function isRecorded({ deps, task }: ClaimedDelivery, result: string): Promise<boolean> {
  return (await deps.ledger.row(task.manifest.task_id))?.result === result;
}

/** The row went with Redis: rebuild, claim the empty place, write. A SUCCESS came back with the journal already. */
async function recordAfterLoss(context: ClaimedDelivery, request: RecordRequest): Promise<RecordAnswer> {
  const { deps } = context;
  await deps.recoverLedger();
  const answer = await deps.ledger.claim(claimRequest(context));
  if (answer.kind === 'finished') return answer.result === request.result ? 'recorded' : 'stale';
  return 'epoch' in answer ? deps.ledger.record({ ...request, epoch: answer.epoch }) : 'stale';
}
