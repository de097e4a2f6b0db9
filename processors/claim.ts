import { isStepOfPlan } from '../src/core/plan-step.ts';
import type { ClaimAnswer, GenuineResult } from '../src/core/ports/index.ts';
import { type ClaimTakes, claimRequest, TAKES_NOTHING } from './claim-request.ts';
import { type AuthenticatedDelivery, type ClaimedDelivery, extend } from './context.ts';
import { wishOfDelivery } from './delivery.ts';
import { hasWaited, isRedelivered, park, wakeParked } from './parking.ts';
import { wakeNext } from './record.ts';
import { conflict, unprovenConflict } from './refuse.ts';
import { answered, type DeliveryEnd } from './settle.ts';

/** The ledger is asked again after a rebuild, a dead owner or a damaged row; more rounds mean that Redis keeps failing. */
const MAX_ROUNDS = 5;

/**
 * Step 3: asks the ledger, and again after whatever stood in the way was dealt with. The ledger comes before this process'
 * own guard: what is finished is answered at once, whoever else asks for it.
 */
export async function claim(context: AuthenticatedDelivery): Promise<ClaimedDelivery | DeliveryEnd> {
  const { running, deps, delivery, manifest, manifestSha256, authority } = context;
  const taskId = manifest.task_id;
  deps.inFlight.attend(running, taskId);
  const waited = await hasWaited(taskId, delivery, deps);
  // A step has one answer: the plan may have seen the FAILURE, and be at the next attempt or at its end.
  const isStep = isStepOfPlan(manifest);
  // Whoever brings the job again that has told this FAILURE does not ask for another; nor does a first delivery that slept until then.
  const wish = wishOfDelivery(delivery);
  let takes: ClaimTakes = { waited, isStep, wish };
  let deadInstance: string | undefined;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const asked = deps.ledger.claim(claimRequest(context, takes, deps.inFlight.isClaimed(taskId), deadInstance));
    const revocations = lookForRevocations(deps);
    const answer = await heard(asked, context);
    switch (answer.kind) {
      case 'new':
      case 'takeover':
      case 'cancelled':
        if (!deps.inFlight.claimTask(running, taskId)) {
          await deps.ledger.release(taskId, answer.epoch, undefined, deps.instance);
          return { kind: 'busy', why: 'this process already works on the task' };
        }
        return extend(context, {
          task: { manifest, manifestSha256, authority, epoch: answer.epoch },
          wish,
          executor: deps.executorOf(manifest.capability_id),
          takeovers: answer.kind === 'takeover' ? answer.takeovers : 0,
          crashes: answer.kind === 'cancelled' ? 0 : (answer.crashes ?? 0),
          cancelled: answer.kind === 'cancelled',
          revocations,
        });
      case 'conflict': {
        const end = await answerConflict(context);
        if (end !== undefined) return end;
        break;
      }
      case 'finished':
        if (await hasSucceeded(answer.result, context)) {
          // The delivery before may have been killed when it had recorded the outcome and woken nobody.
          if (!waited && isRedelivered(delivery)) await wakeParked(taskId, deps);
          return answered(answer.result);
        }
        // Redis is not trusted: a result that does not verify, or is none of a success, is as good as none.
        await deps.ledger.discard(taskId, answer.result);
        break;
      case 'failed':
        if ((await ownResult(answer.result, context)) !== undefined && !(await isOutdated(answer.result, context))) {
          const end = answered(answer.result);
          if (!waited && isRedelivered(delivery)) await wakeNext(end, context);
          return end;
        }
        takes = TAKES_NOTHING;
        break;
      case 'busy':
        if (answer.owner === deps.instance && (await giveBackUnknown(context))) break;
        if (answer.owner === deps.instance || (await deps.presence.isAlive(answer.owner))) {
          if (delivery.attempt.started > MAX_PARKS && (await giveBackEnded(context, answer.owner))) break;
          return { kind: 'busy', why: 'another delivery works on the task', parkedMs: await park(taskId, delivery, deps) };
        }
        deadInstance = answer.owner;
        break;
      case 'lost':
        await deps.recoverLedger();
        break;
    }
  }
  return { kind: 'busy', why: 'the ledger did not settle' };
}

/** The answer of the ledger. Where it is lost the claim may stand, and whoever comes next would count this worker as lost. */
async function heard(asked: Promise<ClaimAnswer>, context: AuthenticatedDelivery): Promise<ClaimAnswer> {
  try {
    return await asked;
  } catch (error) {
    await giveBackUnknown(context).catch(() => undefined);
    throw error;
  }
}

/**
 * Gives back a claim that stands in this process' name and that none of its deliveries holds: its answer was lost, or Redis has come
 * back as it was before the task's end. Answers whether it did.
 */
async function giveBackUnknown({ running, deps, manifest }: AuthenticatedDelivery): Promise<boolean> {
  const { task_id: taskId } = manifest;
  if (!deps.inFlight.isAlone(running, taskId)) return false;
  const row = await deps.ledger.row(taskId);
  if (row?.state !== 'running' || row.owner !== deps.instance) return false;
  await deps.ledger.release(taskId, row.epoch, undefined, deps.instance);
  return true;
}

/** Deliveries of a job that wait for a run before anybody asks whether it is over: half a minute and more. */
const MAX_PARKS = 3;

/**
 * Gives back the claim of another living worker whose run has succeeded by this host's journal: Redis has come back as it was before that
 * end, and its owner, who has told it, may never hear of the task again. Answers whether it did.
 */
async function giveBackEnded(context: AuthenticatedDelivery, owner: string): Promise<boolean> {
  const { deps, manifest } = context;
  const { task_id: taskId } = manifest;
  const recall = await deps.executorOf(manifest.capability_id).memory?.recall(taskId);
  if (recall?.kind !== 'finished' || !(await hasSucceeded(recall.result, context))) return false;
  const row = await deps.ledger.row(taskId);
  if (row?.state !== 'running' || row.owner !== owner) return false;
  await deps.ledger.release(taskId, row.epoch, undefined, owner);
  return true;
}

/** Leaves behind the claim, in the same write. Who is answered without a lease needs nothing of it. */
function lookForRevocations({ authorities, clock }: AuthenticatedDelivery['deps']): ClaimedDelivery['revocations'] {
  const look = { askedAt: clock.monotonic(), known: authorities.refresh() };
  look.known.catch(() => undefined);
  return look;
}

/** The row's result, if an executor has signed it for exactly this task. */
function ownResult(result: string, { deps, manifest, manifestSha256 }: AuthenticatedDelivery): Promise<GenuineResult | undefined> {
  const { task_id: taskId, capability_id: capabilityId } = manifest;
  return deps.results.read(result, { taskId, capabilityId, manifestSha256s: [manifestSha256] });
}

/** Whether this host's journal has another end of the task: an older FAILURE, however well signed, was put back over it. */
async function isOutdated(result: string, { deps, manifest }: AuthenticatedDelivery): Promise<boolean> {
  const { memory } = deps.executorOf(manifest.capability_id);
  const recall = await memory?.recall(manifest.task_id).catch(() => undefined);
  return recall?.kind === 'trimmed' || (recall?.kind === 'finished' && recall.result !== result);
}

/** Whether the row's result is an executor's SUCCESS of exactly this task. */
async function hasSucceeded(result: string, context: AuthenticatedDelivery): Promise<boolean> {
  return (await ownResult(result, context))?.outcome.status === 'SUCCESS';
}

/**
 * The row is another manifest's. Only what an executor has signed for that manifest proves that the id is used; an end that nobody
 * has signed is discarded, and a run is waited for: its end is signed, or the row is a forger's. `undefined`: ask the ledger again.
 */
async function answerConflict(context: AuthenticatedDelivery): Promise<DeliveryEnd | undefined> {
  const { deps, delivery, manifest, manifestSha256 } = context;
  const { task_id: taskId } = manifest;
  const row = await deps.ledger.row(taskId);
  // By now it may be gone, or this very manifest's.
  if (row === undefined || row.state === 'waiting' || row.state === 'damaged' || row.manifestSha256 === manifestSha256) return undefined;
  if (row.state === 'running') {
    if (delivery.attempt.started > MAX_WAITS) return unprovenConflict(context);
    const why = 'another manifest with this task_id is at work';
    if (row.owner === '' || !(await deps.presence.isAlive(row.owner))) return { kind: 'busy', why };
    return { kind: 'busy', why, parkedMs: await park(taskId, delivery, deps) };
  }
  const result = row.result ?? '';
  if ((await deps.results.read(result, { taskId, manifestSha256s: [row.manifestSha256] })) !== undefined) return conflict(context);
  await deps.ledger.discard(taskId, result);
  return undefined;
}

/** Deliveries of a job that wait for the run of another manifest: one to four minutes. */
const MAX_WAITS = 8;
