import { leavesTask } from '../src/contracts/index.ts';
import { isWritError } from '../src/core/errors.ts';
import { checkedResult } from '../src/core/ledger-life.ts';
import type { Execution, Outcome } from '../src/core/outcome.ts';
import { isStepOfPlan } from '../src/core/plan-step.ts';
import type { ClaimAnswer, ClaimRequest, GenuineResult, RecordAnswer, RecordRequest } from '../src/core/ports/index.ts';
import { type AuthenticatedDelivery, type ClaimedDelivery, extend } from './context.ts';
import { jobKey, wishOfDelivery } from './delivery.ts';
import { hasWaited, isRedelivered, park, wakeParked } from './parking.ts';
import { conflict, unprovenConflict } from './refuse.ts';
import { type Answered, answered, answeredWith, type DeliveryEnd, mayRunAgain } from './settle.ts';

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
function wakeNext({ code }: Answered, { deps, manifest }: AuthenticatedDelivery): Promise<void> {
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

/** Which FAILURE of the row answers the claim. */
type ClaimTakes = Required<Pick<ClaimRequest, 'waited' | 'isStep' | 'wish'>>;

const TAKES_NOTHING: ClaimTakes = { waited: false, isStep: false, wish: '' };

/** The claim of this delivery, now. Its fields are named: joining objects costs more than all the rest of a claim. */
function claimRequest(
  { delivery, deps, manifest, manifestSha256, lease }: AuthenticatedDelivery,
  { waited, isStep, wish } = TAKES_NOTHING,
  look = false,
  deadInstance?: string,
): ClaimRequest {
  return {
    taskId: manifest.task_id,
    manifestSha256,
    jobKey: jobKey(delivery),
    instance: deps.instance,
    exp: lease.exp,
    now: deps.clock.now(),
    deadInstance,
    look,
    waited,
    isStep,
    wish,
  };
}
