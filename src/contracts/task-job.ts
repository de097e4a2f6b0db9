import { z } from 'zod';
import { BOUNDS } from './bounds.ts';
import { TaskManifest } from './task-manifest.ts';

/** A compact JWS, or one of a bundle; its content is judged in `src/lease`. A missing lease is the empty string's equal: INVALID_LEASE. */
export const LeaseToken = z.string().max(BOUNDS.lease);

/** The data of a BullMQ job on a task queue (design 3). */
export const TaskJob = z.strictObject({
  v: z.literal(1),
  manifest: TaskManifest,
  lease: LeaseToken.optional(),
  traceparent: z.string().max(64).optional(),
});
export type TaskJob = z.infer<typeof TaskJob>;

/** The whole job, as JSON text, may not be larger. */
export const MAX_JOB_BYTES = BOUNDS.job;
