import { sha256Hex } from '../../src/core/hash.ts';
import type { StopReason } from '../../src/core/outcome.ts';
import type { PlanEnd } from '../../src/core/ports/index.ts';
import { type Action, busyDelay, type JobAttempts } from '../settle.ts';

/** How one delivery of a plan's job ended; the table below maps it to what BullMQ does. */
export type PlanDeliveryEnd =
  /** No plan job at all. */
  | { readonly kind: 'malformed'; readonly message: string }
  /** The lease is not the kernel's word about this plan: nothing was written. */
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'ended'; readonly end: PlanEnd; readonly replayed: boolean }
  /** A step runs; `isAnswered` looks once more when the job is parked. */
  | { readonly kind: 'parked'; readonly ms: number; readonly isAnswered: () => Promise<boolean> }
  /** This process works on the plan already. */
  | { readonly kind: 'busy' }
  | { readonly kind: 'interrupted'; readonly reason: StopReason }
  /** Something that should not happen did; the plan runs again. */
  | { readonly kind: 'crashed'; readonly error: unknown };

type Table = { readonly [K in PlanDeliveryEnd['kind']]: (end: Extract<PlanDeliveryEnd, { kind: K }>, tries: JobAttempts) => Action };

const AGAIN_MS = 1000;

/** The one place where the end of a plan's delivery becomes a BullMQ action (docs/plan-protocol.md 1). A plan fails for good: only a retry runs it on. */
const TABLE = {
  malformed: (end) => ({ kind: 'fail', message: `INVALID_MANIFEST: ${end.message}`, recoverable: false }),
  refused: (end) => ({ kind: 'fail', message: `INVALID_LEASE: ${end.message}`, recoverable: false }),
  ended: ({ end }) =>
    end.status === 'SUCCESS'
      ? { kind: 'complete', value: { status: 'SUCCESS', result_sha256: sha256Hex(end.result) } }
      : { kind: 'fail', message: failureOf(end), recoverable: false },
  parked: (end) => ({ kind: 'delay', ms: end.ms }),
  busy: () => ({ kind: 'delay', ms: AGAIN_MS }),
  interrupted: (end) => ({ kind: 'delay', ms: end.reason === 'shutdown' ? 0 : AGAIN_MS }),
  crashed: (_end, tries) => ({ kind: 'delay', ms: busyDelay(tries.started) }),
} satisfies Table;

/** The board shows no results: what it can tell about a failed plan is the step that ended it. */
function failureOf({ code, message, endedBy }: PlanEnd): string {
  return `${code}: ${message}${endedBy === undefined ? '' : ` (step ${endedBy})`}`;
}

export function settlePlan(end: PlanDeliveryEnd, tries: JobAttempts): Action {
  return (TABLE[end.kind] as (end: PlanDeliveryEnd, tries: JobAttempts) => Action)(end, tries);
}
