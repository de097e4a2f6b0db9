import { shardedName } from '../queues/shards.ts';
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
  /** For figures only. */
  readonly attempt: Attempt;
  /** Aborted with a `StopReason`. */
  readonly signal: AbortSignal;
  /** Aborts the signal. */
  readonly stop: (reason: StopReason) => void;
  /** Whether the worker's lock on the job was renewed recently enough to start an effect. */
  readonly lockIsFresh: () => boolean;
}

/** Names the job in the ledger: the same job claiming again is a takeover. Shards may number jobs alike. */
export function jobKey(delivery: Delivery): string {
  return shardedName(delivery.prefix, `${delivery.queue}:${delivery.jobId}`);
}

/** How a delivery ended; `settle.ts` maps it to what BullMQ does. */
export type End =
  /** Not a contract at all: no result, no row. */
  | { readonly kind: 'malformed'; readonly message: string }
  /** An outcome was recorded, now or earlier. */
  | {
      readonly kind: 'answered';
      readonly status: 'SUCCESS' | 'FAILURE';
      readonly code: string | undefined;
      readonly message: string;
      readonly result: string;
      readonly replayed: boolean;
    }
  /** Answered without touching the task's row: a lease that does not verify, an id that belongs to another manifest. */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string; readonly result: string }
  /** Somebody else works on the task, or may still. */
  | { readonly kind: 'busy'; readonly why: string }
  /** Shutdown, lock loss, or a later claim: nothing was recorded. */
  | { readonly kind: 'interrupted'; readonly reason: StopReason | 'stale' }
  /** Something that should not happen did. The claim is kept, so that a repeated crash is counted as a takeover. */
  | { readonly kind: 'crashed'; readonly error: unknown };

export type EndKind = End['kind'];
