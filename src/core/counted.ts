import { failure, type Outcome } from './outcome.ts';

/** Whoever may write to Redis may write these counts: the signed sentences say whose they are, and no more. `failure-cause.ts` reads them. */
const COUNTED = 'by the count in Redis, ';

export function lostTooOften(takeovers: number): Outcome {
  return failure('RESOURCE_EXHAUSTED', `${COUNTED}the worker was lost ${takeovers} times while it ran this task`);
}

export function crashedTooOften(crashes: number): Outcome {
  return failure('EXECUTION_FAILED', `${COUNTED}${crashes} deliveries of this task crashed in the worker, whose log says why`);
}

export const ROLLED_BACK_TOO_OFTEN: Outcome = failure(
  'RESOURCE_EXHAUSTED',
  `${COUNTED}workers were lost or crashed too often with this task; what had been begun was rolled back`,
);
