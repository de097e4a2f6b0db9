import type { JobsOptions, WorkerOptions } from 'bullmq';
import { BOUNDS, CAPABILITY_QUEUE, type QueueKind } from '../src/contracts/index.ts';

/** BullMQ's key prefix of the one shard that is the default: the braces keep all its keys in one cluster slot (`shards.ts`). */
export const QUEUE_PREFIX = '{writ}';

/** The pool whose queues have bare names. */
export const DEFAULT_POOL = 'default';

const QUEUE_NAME = /^(file|search|plan|tool-[a-z0-9-]{1,32})(?:@([a-z0-9][a-z0-9-]{0,31}))?$/;

/** The queue of a provider's tools: each has its own, so that a slow provider starves only itself (design 7). */
export type ToolQueue = `tool-${string}`;

/** `file`, or `file@<pool>` (design 2): the name that a lease's `aud` carries. */
export function queueName(kind: QueueKind | ToolQueue, pool: string): string {
  return pool === DEFAULT_POOL ? kind : `${kind}@${pool}`;
}

/** The kind of a queue of tools, whose pool is left out; `undefined` for any other name. */
export function toolQueueIn(name: string): ToolQueue | undefined {
  const kind = QUEUE_NAME.exec(name)?.[1] ?? '';
  return isToolQueue(kind) ? kind : undefined;
}

function isToolQueue(kind: string): kind is ToolQueue {
  return kind.startsWith('tool-');
}

export function isQueueName(name: string): boolean {
  return QUEUE_NAME.exec(name)?.[2] !== DEFAULT_POOL && QUEUE_NAME.test(name);
}

/** The queues that carry tasks in a pool. `providers`: of the tools that are bound on this host. */
export function taskQueues(pool: string, providers: readonly string[] = []): readonly string[] {
  const kinds = [...new Set<QueueKind>(Object.values(CAPABILITY_QUEUE))];
  return [...kinds, ...providers.map((provider): ToolQueue => `tool-${provider}`)].map((kind) => queueName(kind, pool));
}

/** The queues of a pool that are one lane each, and which of them there are. */
export interface Lanes {
  /** Maintenance of content-search indexes. */
  readonly index?: boolean;
  /** What changes the messages. */
  readonly messages?: boolean;
}

export function laneQueues(pool: string, { index = false, messages = false }: Lanes): readonly string[] {
  return [...(index ? [indexQueueName(pool)] : []), ...(messages ? [messageQueueName(pool)] : [])];
}

/** Every queue of a pool: those of tasks, that of plans and its lanes. */
export function poolQueues(pool: string, providers: readonly string[] = [], lanes: Lanes = {}): readonly string[] {
  return [...taskQueues(pool, providers), queueName('plan', pool), ...laneQueues(pool, lanes)];
}

/** The queue of the maintenance of content-search indexes: no task can be pushed to it. */
export function indexQueueName(pool: string): string {
  return pool === DEFAULT_POOL ? INDEX_QUEUE : `${INDEX_QUEUE}@${pool}`;
}

const INDEX_QUEUE = 'index-maintenance';

/** The queue of what changes the messages: no task can be pushed to it. */
export function messageQueueName(pool: string): string {
  return pool === DEFAULT_POOL ? MESSAGE_QUEUE : `${MESSAGE_QUEUE}@${pool}`;
}

const MESSAGE_QUEUE = 'message-index';

/**
 * The queue of a capability. An unknown one goes to the file executor as well, because it is an executor's business to
 * refuse it with a signed UNSUPPORTED_CAPABILITY (file-executor.md 2).
 */
export function queueOf(capabilityId: string, pool: string): string {
  return queueName(KIND_OF.get(capabilityId) ?? 'file', pool);
}

const KIND_OF: ReadonlyMap<string, QueueKind> = new Map(Object.entries(CAPABILITY_QUEUE));

/** The whole job of a plan, as JSON text, may not be larger: it carries the definitions that it uses. */
export const MAX_PLAN_BYTES = BOUNDS.planJob;

const HOUR_S = 3600;

/** How long BullMQ remembers. A task's answer lives in the ledger, so completed jobs are kept only for the board to show. */
export const RETENTION = {
  removeOnComplete: { age: HOUR_S, count: 1000 },
  removeOnFail: { age: 7 * 24 * HOUR_S },
} as const satisfies Pick<JobsOptions, 'removeOnComplete' | 'removeOnFail'>;

/** Of one job, however it was pushed. */
export const MAX_ATTEMPTS = 100;

const FIRST_BACKOFF_MS = 1000;

/** Options of a task's job. Tries beyond the first wait 1 s, 2 s, 4 s, … */
export function jobOptions(jobId: string, attempts: number, when: Pick<JobsOptions, 'delay' | 'timestamp' | 'priority'> = {}): JobsOptions {
  return { jobId, attempts, ...when, ...(attempts > 1 ? { backoff: { type: 'exponential', delay: FIRST_BACKOFF_MS } } : {}), ...RETENTION };
}

/** Times of a worker's locks, milliseconds. */
export interface LockTimes {
  readonly lockMs: number;
  readonly renewMs: number;
  readonly stalledMs: number;
}

/** A killed worker's job runs again after at most lock + stalled check: 12 s (design 4). */
export const LOCK_TIMES: LockTimes = { lockMs: 9000, renewMs: 3000, stalledMs: 3000 };

/** The ledger counts takeovers and ends a poison task with a signed answer; BullMQ's own limit must not come first. */
const MAX_STALLED = 1000;

/** What every worker of ours tells BullMQ. */
export function workerOptions(
  { lockMs, renewMs, stalledMs }: LockTimes,
  concurrency: number,
  prefix = QUEUE_PREFIX,
): Omit<WorkerOptions, 'connection'> & { prefix: string } {
  return {
    prefix,
    concurrency,
    lockDuration: lockMs,
    lockRenewTime: renewMs,
    stalledInterval: stalledMs,
    maxStalledCount: MAX_STALLED,
    ...RETENTION,
  };
}
