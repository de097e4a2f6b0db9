/** Points that a delivery of a plan passes, in their order (docs/plan-protocol.md 3). Chaos tests end the process in them. */
export const PLAN_POINTS = [
  /** The plan's row is in the journal. */
  'begun',
  /** The kernel has signed the step's lease. */
  'derived',
  /** The step's task is on its queue. */
  'enqueued',
  /** The step's answer was read, and is not in the journal. */
  'seen',
  /** The step's answer is in the journal. */
  'kept',
  /** The end is signed, and is not in the journal. */
  'signed',
  /** The end is in the journal, and nobody else knows of it. */
  'ended',
] as const;
export type PlanPoint = (typeof PLAN_POINTS)[number];
