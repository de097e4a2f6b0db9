import type { StopReason } from '../../src/core/outcome.ts';
import type { PlanEnd } from '../../src/core/ports/index.ts';

/** How one delivery of a plan's job ended; `settle-plan.ts` maps it to what BullMQ does. */
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
