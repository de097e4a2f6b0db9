import { APPROVAL_MUTANTS } from './approvals.ts';
import { END_MUTANTS } from './ends.ts';
import { HOST_MUTANTS } from './host.ts';
import { MENDED_MUTANTS } from './mended.ts';
import type { Mutant } from './mutant.ts';
import { SCHEDULE_MUTANTS } from './schedules.ts';
import { SHARED_MUTANTS } from './shared.ts';
import { STEP_MUTANTS } from './steps.ts';
import { WEBHOOK_MUTANTS } from './webhooks.ts';
import { WISH_MUTANTS } from './wishes.ts';

/** All of them; the long run has to find every one. */
export const MUTANTS: readonly Mutant[] = [
  ...HOST_MUTANTS,
  ...SHARED_MUTANTS,
  ...STEP_MUTANTS,
  ...MENDED_MUTANTS,
  ...END_MUTANTS,
  ...SCHEDULE_MUTANTS,
  ...APPROVAL_MUTANTS,
  ...WEBHOOK_MUTANTS,
  ...WISH_MUTANTS,
];
