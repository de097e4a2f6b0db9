import { shardedName } from '../queues/shards.ts';
import { wishOf } from '../queues/wish.ts';
import type { StopReason } from '../src/core/outcome.ts';
import type { Attempt } from '../src/observability/deliveries.ts';

/** One job as a queue hands it over; nothing in it is trusted. */
export interface Delivery {
  readonly data: unknown;
  /** Queue name including its pool: the `aud` that a lease must name. */
  readonly queue: string;
  readonly jobId: string;
  /** Prefix of the shard that it came from. */
  readonly prefix: string;
  /** For figures, and for the name of the wish. */
  readonly attempt: Attempt;
  /** Aborted with a `StopReason`. */
  readonly signal: AbortSignal;
  /** Aborts the signal. */
  readonly stop: (reason: StopReason) => void;
  /** Whether the worker's lock on the job, or on that of the plan, was renewed recently enough to start an effect. */
  readonly lockIsFresh: () => boolean;
  /** Whether the queue runs the job again by itself when it fails: its producer gave it attempts that are left. */
  readonly hasAttemptsLeft?: boolean;
  /** A step without a job, of a plan that is at hand and waits for it: nobody need be woken. */
  readonly isLocal?: boolean;
}

/** Names the job in the ledger: the same job claiming again is a takeover. Shards may number jobs alike. */
export function jobKey(delivery: Delivery): string {
  return shardedName(delivery.prefix, `${delivery.queue}:${delivery.jobId}`);
}

/** Which ask the job stands for: the same however often it is delivered, another one when somebody has run it again. */
export function wishOfDelivery({ prefix, queue, jobId, attempt }: Delivery): string {
  return wishOf({ prefix, queue, jobId, addedAt: attempt.addedAt, ends: attempt.failed, failures: attempt.failures });
}
