import { ExecutionResult, RETRYABLE_CODES } from '../src/contracts/index.ts';
import { failureCause } from '../src/core/failure-cause.ts';
import { sha256Hex } from '../src/core/hash.ts';
import { isCancelled, type Outcome, type StopReason } from '../src/core/outcome.ts';
import type { DeliveryContext } from './context.ts';

/** How a delivery ended; the table below maps it to what BullMQ does. */
export type DeliveryEnd =
  /** Not a contract at all: no result, no row. */
  /** `logged`: what the log gets instead of the message, which names what the producer has made up. */
  | { readonly kind: 'malformed'; readonly message: string; readonly logged?: string }
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
  /** Somebody else works on the task, or may still. `parkedMs`: it waits for that one's end, at most so long. */
  | { readonly kind: 'busy'; readonly why: string; readonly parkedMs?: number }
  /** Shutdown, lock loss, or a later claim: nothing was recorded. */
  | { readonly kind: 'interrupted'; readonly reason: StopReason | 'stale' }
  /** Something that should not happen did. The claim was given back, and the crash counted unless an outage explains it. */
  | { readonly kind: 'crashed'; readonly error: unknown };

export type DeliveryEndKind = DeliveryEnd['kind'];
export type Answered = Extract<DeliveryEnd, { kind: 'answered' }>;

/** Whether a step has ended the delivery instead of handing it on. */
export function isEnd(found: DeliveryContext | DeliveryEnd): found is DeliveryEnd {
  return 'kind' in found;
}

/** The end of a task whose outcome was recorded earlier; `result` is the stored text. */
export function answered(result: string): Answered {
  return answeredWith(ExecutionResult.parse(JSON.parse(result)), result, { replayed: true });
}

/** The end of a task that has just been run; `result` is the outcome, signed. */
export function answeredWith({ status, error }: Pick<Outcome, 'status' | 'error'>, result: string, { replayed } = { replayed: false }): Answered {
  return { kind: 'answered', status, code: error?.error_code, message: error?.message ?? '', result, replayed };
}

/** What the queue is told. */
export type Action =
  | { readonly kind: 'complete'; readonly value: { readonly status: 'SUCCESS'; readonly result_sha256: string } }
  | { readonly kind: 'fail'; readonly message: string; readonly recoverable: boolean }
  | { readonly kind: 'delay'; readonly ms: number };

/** What a job says about its own tries. */
export interface JobAttempts {
  /** How often the job was started, this time included. */
  readonly started: number;
  /** `attempts` asked for by the producer. */
  readonly allowed: number;
}

const BUSY_FIRST_MS = 1_000;
const BUSY_MAX_MS = 15_000;

type Table = { readonly [K in DeliveryEndKind]: (end: Extract<DeliveryEnd, { kind: K }>, tries: JobAttempts) => Action };

/** Design 4.7, `docs/protocol.md` section 4: the one place where an end becomes a BullMQ action. */
const TABLE = {
  malformed: (end) => ({ kind: 'fail', message: `INVALID_MANIFEST: ${end.message}`, recoverable: false }),
  answered: (end, tries) =>
    end.status === 'SUCCESS'
      ? { kind: 'complete', value: { status: 'SUCCESS', result_sha256: sha256Hex(end.result) } }
      : { kind: 'fail', message: `${end.code}: ${end.message}`, recoverable: tries.allowed > 1 && mayRunAgain(end) },
  refused: (end) => ({ kind: 'fail', message: `${end.code}: ${end.message}`, recoverable: false }),
  busy: (end, tries) => ({ kind: 'delay', ms: end.parkedMs ?? busyDelay(tries.started) }),
  interrupted: (end) => ({ kind: 'delay', ms: end.reason === 'shutdown' ? 0 : BUSY_FIRST_MS }),
  crashed: (_end, tries) => ({ kind: 'delay', ms: busyDelay(tries.started) }),
} satisfies Table;

/**
 * Whether the queue may run it again by itself. Who has cancelled it wants no further attempt, however many the producer gave it; and an
 * end of which nobody knows what was done is for somebody to look at, also where a lease was renewed since its attempt began.
 */
export function mayRunAgain({ code = '', message }: Pick<Answered, 'code' | 'message'>): boolean {
  return RETRYABLE_CODES.has(code) && !isCancelled({ error_code: code, message }) && failureCause(code, message).reason !== 'outcome_unknown';
}

/** Step 7: what the queue is told of this end. */
export function settle(end: DeliveryEnd, tries: JobAttempts): Action {
  return (TABLE[end.kind] as (end: DeliveryEnd, tries: JobAttempts) => Action)(end, tries);
}

/** 1 s, doubling to 15 s, by how often the job was started. */
export function busyDelay(started: number): number {
  return Math.min(BUSY_MAX_MS, BUSY_FIRST_MS * 2 ** Math.min(10, Math.max(0, started - 1)));
}
