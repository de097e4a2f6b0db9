import { standInReason } from '../queues/job-bounds.ts';
import { MAX_JOB_BYTES, TaskJob } from '../src/contracts/index.ts';
import { canonicalJson } from '../src/core/canonical-json.ts';
import { crashedTooOften, lostTooOften } from '../src/core/counted.ts';
import { type FieldProblem, isWritError } from '../src/core/errors.ts';
import { sha256Hex } from '../src/core/hash.ts';
import { isOutage } from '../src/core/outage.ts';
import { type Execution, failure, type Outcome } from '../src/core/outcome.ts';
import type { Recall } from '../src/core/ports/index.ts';
import { problemsOf } from '../src/core/shape-problems.ts';
import { stopped } from '../src/core/stopped.ts';
import { parseTraceparent } from '../src/core/trace-context.ts';
import { claim } from './claim.ts';
import { type AuthenticatedDelivery, type ClaimedDelivery, type DeliveryContext, extend, type ParsedDelivery, type PipelineDeps } from './context.ts';
import { type Delivery, jobKey } from './delivery.ts';
import { giveUp, giveUpUnclaimed } from './give-up.ts';
import type { Running } from './in-flight.ts';
import type { HandledDelivery } from './queue-worker.ts';
import { record, type TaskResolution } from './record.ts';
import { refuse } from './refuse.ts';
import { runExecutor } from './run-executor.ts';
import { type DeliveryEnd, isEnd, type JobAttempts, settle } from './settle.ts';

/** One delivery of one job, from the queue to what the queue is told (design 4, `docs/protocol.md` section 3). */
export async function processTask(delivery: Delivery, running: Running, tries: JobAttempts, deps: PipelineDeps): Promise<HandledDelivery> {
  const { around = (_delivery, work) => work() } = deps;
  const end = await around(delivery, () => runDelivery(delivery, running, deps));
  const action = settle(end, tries); // step 7
  return end.kind === 'busy' && end.parkedMs !== undefined ? { action, afterDelay: () => lookAgain(delivery, running.taskId ?? '', deps) } : { action };
}

/** One delivery from the queue to its end. Never throws: what should not happen is the end `crashed`. */
export async function runDelivery(delivery: Delivery, running: Running, deps: PipelineDeps): Promise<DeliveryEnd> {
  const context: DeliveryContext = { delivery, running, deps, startedAt: deps.clock.monotonic() };
  const end = await answer(context).catch((error: unknown) => crashed(context, error));
  if (end.kind !== 'crashed') deps.faults.forget(jobKey(delivery));
  emit(context, end); // step 8
  await wakePlan(context, end);
  return end;
}

/** Gives the claim back. A crash is counted against the task, unless an outage explains it: that says nothing about the task. */
async function crashed(context: DeliveryContext & Partial<ClaimedDelivery>, error: unknown): Promise<DeliveryEnd> {
  const { deps, task } = context;
  if (task === undefined) return giveUpUnclaimed(context, error);
  // When Redis is away, the claim stays; the same process claiming it again counts as no lost worker.
  await deps.ledger.release(task.manifest.task_id, task.epoch, isOutage(error) ? undefined : 'crashed', deps.instance).catch(() => undefined);
  return { kind: 'crashed', error };
}

/** A task that ended before this job was parked for it has woken nobody. Never rejects: the job comes back by itself. */
async function lookAgain(delivery: Delivery, taskId: string, { ledger, promote, inFlight }: PipelineDeps): Promise<void> {
  try {
    const state = (await ledger.row(taskId))?.state;
    const atWork = inFlight.isClaimed(taskId);
    // Where the row was lost, the delivery of this process that works on the task will record and wake.
    const ended = state === 'success' || state === 'failure' || (state !== 'running' && !atWork);
    if (!ended) return;
    const wake = (): Promise<unknown> => promote([jobKey(delivery)]);
    // Until that delivery has heard that its end is recorded, the job would only be parked again, and again.
    if (atWork)
      void inFlight
        .freed(taskId)
        .then(wake)
        .catch(() => undefined);
    else await wake();
  } catch {
    // Redis is away.
  }
}

/** Steps 1 to 6: each ends the delivery, or hands on the context with what it has found. */
async function answer(context: DeliveryContext): Promise<DeliveryEnd> {
  const parsed = parse(context);
  if (isEnd(parsed)) return parsed;
  const authenticated = await authenticate(parsed);
  if (isEnd(authenticated)) return authenticated;
  const claimed = await claim(authenticated);
  if (isEnd(claimed)) return claimed;
  return conclude(claimed);
}

/** Steps 3 to 6 after the claim. A fault that comes back unchanged does so to an end. */
async function conclude(context: ClaimedDelivery): Promise<DeliveryEnd> {
  try {
    const end = await record(context, await perform(context));
    context.deps.faults.forget(context.manifest.task_id);
    return end;
  } catch (error) {
    return giveUp(context, error);
  }
}

/** Steps 3 to 5 after the claim: the first that has something to say says what becomes of the task. */
async function perform(context: ClaimedDelivery): Promise<TaskResolution> {
  const recall: Recall = (await context.executor.memory?.recall(context.manifest.task_id)) ?? { kind: 'unknown' };
  return remembered(context, recall) ?? (await finishIntent(context, recall)) ?? (await refused(context)) ?? (await execute(context));
}

/** Step 1: shape and size only; the inputs of a capability are judged by its executor, after authorization. */
function parse(context: DeliveryContext): ParsedDelivery | DeliveryEnd {
  const { data } = context.delivery;
  const shape = TaskJob.safeParse(data);
  if (!shape.success) {
    const replaced = standInReason(data);
    if (replaced !== undefined) return { kind: 'malformed', message: `job: ${replaced}` };
    const problems = problemsOf(shape.error, TaskJob, data);
    return { kind: 'malformed', message: problems.map(aboutJob).join('; '), logged: forLog(problems) };
  }
  try {
    // As it came, not as it was parsed: a key `__proto__` is dropped from parsed inputs, and a lease is for exactly these bytes.
    const text = canonicalJson(typeof data === 'object' && data !== null ? Reflect.get(data, 'manifest') : data);
    if (Buffer.byteLength(text) > MAX_JOB_BYTES) return { kind: 'malformed', message: `manifest: larger than ${MAX_JOB_BYTES} bytes` };
    return extend(context, { job: shape.data, manifest: shape.data.manifest, manifestSha256: sha256Hex(text) });
  } catch (error) {
    if (!isWritError(error)) throw error;
    return { kind: 'malformed', message: `${error.field ? `manifest.${error.field}` : 'manifest'}: ${error.message}` };
  }
}

/** What the job itself should not have stands behind its name, as what it is as a whole does. */
function aboutJob({ field, message }: FieldProblem): string {
  return isOfJob(field) ? `${field}: ${message}` : `job: ${[field, message].join(' ').trim()}`;
}

function isOfJob(field: string): boolean {
  const [first = ''] = field.split('.');
  return Object.hasOwn(TaskJob.shape, first);
}

/** One place, then a sentence in which nothing is the producer's; of the place the log keeps what is the contract's (`redact.ts`). */
function forLog([{ field, message }, ...more]: readonly [FieldProblem, ...FieldProblem[]]): string {
  return `${isOfJob(field) ? field.replaceAll(/[\s:]+/gu, '_') : 'job'}: ${message}${more.length === 0 ? '' : ` (and ${more.length} more)`}`;
}

/** Step 2: the lease is the kernel's word about exactly this manifest on this queue. */
async function authenticate(context: ParsedDelivery): Promise<AuthenticatedDelivery | DeliveryEnd> {
  const { delivery, deps, job, manifest, manifestSha256 } = context;
  const authentication = await deps.authorities.authenticate(manifest, manifestSha256, job.lease, delivery.queue);
  if (!authentication.ok) return refuse(context, failure('INVALID_LEASE', authentication.message));
  return extend(context, { lease: authentication.lease, authority: authentication.authority });
}

/** Step 3: the host's memory has the last word. A doubtful end answers again under the lease of its attempt. */
function remembered({ task, lease }: ClaimedDelivery, recall: Recall): TaskResolution | undefined {
  if (recall.kind !== 'unknown' && recall.manifestSha256 !== task.manifestSha256) return { kind: 'conflict' };
  if (recall.kind === 'finished') return recall;
  if (recall.kind === 'trimmed') return { kind: 'outcome', outcome: doneBefore(recall.closedAt) };
  return recall.kind === 'doubtful' && recall.jti === lease.jti ? { kind: 'finished', result: recall.result } : undefined;
}

/** How it ended nobody can tell any more, only that it must not happen again. */
function doneBefore(closedAt: number): Outcome {
  const day = new Date(closedAt).toISOString().slice(0, 10);
  return failure('EXECUTION_FAILED', `this task was done on ${day}, and its result is no longer kept; nothing was done now`);
}

/** Step 3: an open intent is finished under the authority that is written in it. */
async function finishIntent(context: ClaimedDelivery, recall: Recall): Promise<Execution | undefined> {
  const { task, takeovers, crashes } = context;
  const { memory } = context.executor;
  if (recall.kind !== 'open' || memory === undefined) return undefined;
  const mayRedo = takeovers < MAX_TAKEOVERS && crashes < MAX_CRASHES;
  return runExecutor(context, { lease: undefined }, (run) => memory.recover(task, run, { mayRedo }));
}

/** Why nothing new is begun. Where another process has begun or finished the task since the recall, the next delivery asks the journal. */
async function refused(context: ClaimedDelivery): Promise<Execution | undefined> {
  const refusal = endPoisoned(context) ?? endCancelled(context) ?? (await authorize(context));
  const { memory } = context.executor;
  if (refusal === undefined || memory === undefined) return refusal;
  const { kind } = await memory.recall(context.manifest.task_id);
  return kind === 'open' || kind === 'finished' ? { kind: 'busy', why: 'another worker has just begun or finished this task' } : refusal;
}

/** The fifth takeover ends a task that takes its worker down with it. */
const MAX_TAKEOVERS = 5;

/** The fifth crash ends one that no worker can carry out. */
const MAX_CRASHES = 5;

function endPoisoned({ takeovers, crashes }: ClaimedDelivery): Execution | undefined {
  if (takeovers >= MAX_TAKEOVERS) return { kind: 'outcome', outcome: lostTooOften(takeovers) };
  return crashes < MAX_CRASHES ? undefined : { kind: 'outcome', outcome: crashedTooOften(crashes) };
}

function endCancelled({ cancelled }: ClaimedDelivery): Execution | undefined {
  return cancelled ? stopped('cancelled') : undefined;
}

/** A look for revocations that is older than this, milliseconds, is repeated: the host's memory was slow to answer. */
const LOOK_HOLDS_MS = 50;

/** Step 4: only a new effect needs a living lease. */
async function authorize({ deps, lease, executor, revocations }: ClaimedDelivery): Promise<Execution | undefined> {
  await (deps.clock.monotonic() - revocations.askedAt > LOOK_HOLDS_MS ? deps.authorities.refresh() : revocations.known);
  const refusal = deps.authorities.authorize(lease, executor.capabilities);
  return refusal && { kind: 'outcome', outcome: failure(refusal.code, refusal.message) };
}

/** Step 5. */
function execute(context: ClaimedDelivery): Promise<Execution> {
  const { task, executor, lease } = context;
  return runExecutor(context, { lease }, (run) => executor.execute(task, run));
}

/** Step 8: one report of the end, with whatever the steps have found until then. */
function emit({ delivery, deps, startedAt, job, manifest, takeovers = 0 }: DeliveryContext & Partial<ClaimedDelivery>, end: DeliveryEnd): void {
  const trace = parseTraceparent(job?.traceparent);
  deps.report({
    queue: delivery.queue,
    jobId: delivery.jobId,
    taskId: manifest?.task_id,
    capability: manifest?.capability_id,
    end: end.kind === 'answered' ? end.status : end.kind,
    code: 'code' in end ? end.code : undefined,
    message: said(end),
    ms: deps.clock.monotonic() - startedAt,
    takeovers,
    planId: manifest?.provenance?.plan_sha256,
    traceId: trace?.traceId,
    badTrace: job?.traceparent !== undefined && trace === undefined,
    replayed: end.kind === 'answered' && end.replayed,
    attempt: delivery.attempt,
    endedAt: deps.clock.now(),
    ...(end.kind === 'crashed' ? { error: end.error } : {}),
  });
}

/** What the log says of an end beside its code. */
function said(end: DeliveryEnd): string | undefined {
  if ('logged' in end && end.logged !== undefined) return end.logged;
  if ('message' in end) return end.message;
  return 'why' in end ? end.why : 'reason' in end ? end.reason : undefined;
}

/** Wakes the plan whose step has its answer. A wake-up that is lost costs the plan the rest of its parking, and nothing else. */
async function wakePlan({ delivery, deps, manifest }: DeliveryContext & Partial<ParsedDelivery>, end: DeliveryEnd): Promise<void> {
  const planSha256 = manifest?.provenance?.plan_sha256;
  if (planSha256 !== undefined && 'result' in end && !delivery.isLocal) await deps.wakePlan(planSha256).catch(() => undefined);
}
