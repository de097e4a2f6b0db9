import { sha256Hex } from '../../core/hash.ts';

/**
 * Every Redis key and channel of ours (`docs/protocol.md` section 1). BullMQ's own keys begin with the same `{writ}`.
 * Row keys carry one of 256 fixed tags, so that the number of queue shards may change at any time.
 */

/** The tag of a task's keys: first byte of SHA-256(task_id), in hexadecimal. */
export function tagOf(taskId: string): string {
  return sha256Hex(taskId).slice(0, 2);
}

export const ALL_TAGS: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

export const rowKey = (taskId: string, tag: string = tagOf(taskId)): string => `{wl-${tag}}:task:${taskId}`;
/** What may be seen of a plan, and whether its cancel was asked; the id is its hash. */
export const planKey = (planId: string): string => `{wl-${tagOf(planId)}}:plan:${planId}`;
/** The jobs that wait for the end of a task or plan. */
export const parkedKey = (id: string, tag: string = tagOf(id)): string => `{wl-${tag}}:parked:${id}`;
export const refusedKey = (taskId: string, jobKey: string): string => `{wl-${tagOf(taskId)}}:refused:${jobKey}`;
export const generationKey = (tag: string): string => `{wl-${tag}}:generation`;
export const recordedChannel = (tag: string): string => `{wl-${tag}}:recorded`;

export const CANCEL_CHANNEL = '{wl-00}:cancel';
export const REVOCATIONS_KEY = '{wl-00}:revocations';
export const REVOKED_CHANNEL = '{wl-00}:revoked';

export const workerKey = (instance: string): string => `{writ}:worker:${instance}`;
export const poolKey = (pool: string): string => `{writ}:pool:${pool}`;
/** What each worker of the pool says of itself. */
export const poolWorkersKey = (pool: string): string => `{writ}:pool:${pool}:workers`;
/** Numbers of queue shards that were ever served: a setting that forgets one of them is refused. */
export const SHARDS_KEY = '{writ}:shards';
/** Written and removed by the readiness probe. */
export const PROBE_KEY = '{writ}:probe';
