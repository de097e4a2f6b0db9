import type { Execution } from '../src/core/outcome.ts';
import type { ClaimRequest, RecordAnswer, RecordRequest } from '../src/core/ports/index.ts';
import { type AuthenticatedDelivery, type ClaimedDelivery, extend } from './context.ts';
import { jobKey } from './delivery.ts';
import { conflict } from './refuse.ts';
import { type Answered, answered, answeredWith, type DeliveryEnd } from './settle.ts';

/** The ledger is asked again after a rebuild, a dead owner or a damaged row; more rounds mean that Redis keeps failing. */
const MAX_ROUNDS = 5;

/** Step 3: asks this process, then the ledger, and the ledger again after whatever stood in the way was dealt with. */
export async function claim(context: AuthenticatedDelivery): Promise<ClaimedDelivery | DeliveryEnd> {
  const { running, deps, manifest, manifestSha256, authority } = context;
  if (!deps.inFlight.claimTask(running, manifest.task_id)) return { kind: 'busy', why: 'this process already works on the task' };
  let deadInstance: string | undefined;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const answer = await deps.ledger.claim({ ...claimRequest(context), ...(deadInstance === undefined ? {} : { deadInstance }) });
    switch (answer.kind) {
      case 'new':
      case 'takeover':
      case 'cancelled':
        return extend(context, {
          task: { manifest, manifestSha256, authority, epoch: answer.epoch },
          executor: deps.executorOf(manifest.capability_id),
          takeovers: answer.kind === 'takeover' ? answer.takeovers : 0,
          cancelled: answer.kind === 'cancelled',
        });
      case 'conflict':
        return conflict(context);
      case 'finished':
        if (await deps.authorities.verifyResult(answer.result, manifest, manifestSha256)) return answered(answer.result);
        // Redis is not trusted: a result that does not verify is as good as none.
        await deps.ledger.discard(manifest.task_id, answer.result);
        break;
      case 'busy':
        if (await deps.presence.isAlive(answer.owner)) return { kind: 'busy', why: 'another worker works on the task' };
        deadInstance = answer.owner;
        break;
      case 'lost':
        await deps.recoverLedger();
        break;
    }
  }
  return { kind: 'busy', why: 'the ledger did not settle' };
}

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
  if (answer === 'stale' && (await isRecorded(context, result))) answer = 'recorded';
  return answer === 'recorded' ? end : { kind: 'interrupted', reason: 'stale' };
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

/** The claim of this delivery, now. */
function claimRequest({ delivery, deps, manifest, manifestSha256, lease }: AuthenticatedDelivery): ClaimRequest {
  return { taskId: manifest.task_id, manifestSha256, jobKey: jobKey(delivery), instance: deps.instance, exp: lease.exp, now: deps.clock.now() };
}
