import { type LeasePayload, MAX_JOB_BYTES, TaskJob } from '../src/contracts/index.ts';
import { canonicalJson } from '../src/core/canonical-json.ts';
import { isWritError } from '../src/core/errors.ts';
import { sha256Hex } from '../src/core/hash.ts';
import type { Execution } from '../src/core/outcome.ts';
import { failure } from '../src/core/outcome.ts';
import { stopped } from '../src/core/stopped.ts';
import { parseTraceparent } from '../src/core/trace-context.ts';
import { refuse } from './answers.ts';
import { type Claimed, claim } from './claim.ts';
import type { Delivery, End } from './delivery.ts';
import type { PipelineDeps } from './deps.ts';
import type { Running } from './in-flight.ts';
import { record } from './record.ts';
import { runExecutor } from './run-executor.ts';

/** A job whose shape is right. */
interface Parsed {
  readonly job: TaskJob;
  readonly manifestSha256: string;
}

/**
 * One delivery of one job, from the queue to its end (design 4). The steps are those of `docs/protocol.md` section 3;
 * each either answers or hands on. Never throws: what should not happen is the end `crashed`.
 */
export async function runDelivery(delivery: Delivery, running: Running, deps: PipelineDeps): Promise<End> {
  const started = deps.clock.monotonic();
  const trail: Trail = { takeovers: 0 };
  const end = await deliver(delivery, running, deps, trail).catch((error: unknown): End => ({ kind: 'crashed', error }));
  emit(delivery, deps, trail, end, deps.clock.monotonic() - started);
  // A wake-up that is lost costs the plan the rest of its parking, and nothing else.
  if (trail.plan !== undefined && 'result' in end) await deps.wakePlan(trail.plan).catch(() => undefined);
  return end;
}

/** What the log line tells beside the end. */
interface Trail {
  taskId?: string;
  capability?: string;
  plan?: string | undefined;
  traceparent?: string | undefined;
  takeovers: number;
}

async function deliver(delivery: Delivery, running: Running, deps: PipelineDeps, trail: Trail): Promise<End> {
  const parsed = parse(delivery.data);
  if ('kind' in parsed) return parsed;
  const { job, manifestSha256 } = parsed;
  const { manifest } = job;
  trail.taskId = manifest.task_id;
  trail.capability = manifest.capability_id;
  trail.plan = manifest.provenance?.plan_sha256;
  trail.traceparent = job.traceparent;

  const authentication = await deps.authorities.authenticate(manifest, manifestSha256, job.lease, delivery.queue);
  if (!authentication.ok) return refuse(delivery, manifest, manifestSha256, failure('INVALID_LEASE', authentication.message), deps);

  if (!deps.inFlight.claimTask(running, manifest.task_id)) return { kind: 'busy', why: 'this process already works on the task' };
  const claimed = await claim(delivery, manifest, manifestSha256, authentication.lease.exp, deps);
  if ('kind' in claimed) return claimed;
  trail.takeovers = claimed.takeovers;

  const task = { manifest, manifestSha256, authority: authentication.authority, epoch: claimed.epoch };
  const execution = await perform(delivery, task, claimed, authentication.lease, deps);
  return record(delivery, task, execution, deps);
}

/** Steps 3 to 5 after the claim: what the host remembers, then authority, then the executor. */
async function perform(
  delivery: Delivery,
  task: Parameters<typeof record>[1],
  claimed: Claimed,
  lease: LeasePayload,
  deps: PipelineDeps,
): Promise<Execution | { kind: 'finished'; result: string } | { kind: 'conflict' }> {
  const { authorities } = deps;
  const executor = deps.executorOf(task.manifest.capability_id);
  const recall = (await executor.memory?.recall(task.manifest.task_id)) ?? { kind: 'unknown' };
  if (recall.kind !== 'unknown' && recall.manifestSha256 !== task.manifestSha256) return { kind: 'conflict' };
  if (recall.kind === 'finished') return recall;
  if (recall.kind === 'doubtful' && recall.jti === lease.jti) return { kind: 'finished', result: recall.result };
  const poisoned = claimed.takeovers >= MAX_TAKEOVERS;
  if (recall.kind === 'open' && executor.memory) {
    const { memory } = executor;
    return runExecutor(delivery, deps, { executor, lease: undefined }, (context) => memory.recover(task, context, { mayRedo: !poisoned }));
  }
  if (poisoned) return outcome('RESOURCE_EXHAUSTED', `the worker was lost ${claimed.takeovers} times while it ran this task`);
  if (claimed.cancelled) return stopped('cancelled');

  await authorities.refresh();
  const refusal = authorities.authorize(lease, executor.capabilities);
  if (refusal) return outcome(refusal.code, refusal.message);
  return runExecutor(delivery, deps, { executor, lease }, (context) => executor.execute(task, context));
}

/** The fifth takeover ends a task that takes its worker down with it. */
const MAX_TAKEOVERS = 5;

function outcome(code: Parameters<typeof failure>[0], message: string): Execution {
  return { kind: 'outcome', outcome: failure(code, message) };
}

/** Shape and size only; the inputs of a capability are judged by its executor, after authorization. */
function parse(data: unknown): Parsed | Extract<End, { kind: 'malformed' }> {
  const shape = TaskJob.safeParse(data);
  if (!shape.success) {
    const issue = shape.error.issues[0];
    return { kind: 'malformed', message: `${issue?.path.join('.') || 'job'}: ${issue?.message ?? 'is not a task job'}` };
  }
  try {
    // As it came, not as it was parsed: a key `__proto__` is dropped from parsed inputs, and a lease is for exactly these bytes.
    const text = canonicalJson(typeof data === 'object' && data !== null ? Reflect.get(data, 'manifest') : data);
    if (Buffer.byteLength(text) > MAX_JOB_BYTES) return { kind: 'malformed', message: `manifest: larger than ${MAX_JOB_BYTES} bytes` };
    return { job: shape.data, manifestSha256: sha256Hex(text) };
  } catch (error) {
    if (!isWritError(error)) throw error;
    return { kind: 'malformed', message: `${error.field ? `manifest.${error.field}` : 'manifest'}: ${error.message}` };
  }
}

function emit(delivery: Delivery, deps: PipelineDeps, trail: Trail, end: End, ms: number): void {
  const trace = parseTraceparent(trail.traceparent);
  deps.report({
    queue: delivery.queue,
    jobId: delivery.jobId,
    taskId: trail.taskId,
    capability: trail.capability,
    end: end.kind === 'answered' ? end.status : end.kind,
    code: 'code' in end ? end.code : undefined,
    message: 'message' in end ? end.message : 'why' in end ? end.why : 'reason' in end ? end.reason : undefined,
    ms,
    takeovers: trail.takeovers,
    planId: trail.plan,
    traceId: trace?.traceId,
    badTrace: trail.traceparent !== undefined && trace === undefined,
    replayed: end.kind === 'answered' && end.replayed,
    attempt: delivery.attempt,
    endedAt: deps.clock.now(),
    ...(end.kind === 'crashed' ? { error: end.error } : {}),
  });
}
