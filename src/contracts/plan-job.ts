import { z } from 'zod';
import { Sha256Hex } from './ids.ts';
import { PlanLeaseToken } from './plan-lease.ts';
import { ResultEnvelope } from './plan-result-envelope.ts';
import { AnyObject } from './plan-text.ts';

/** The data of a BullMQ job on the plan queue (design 3). The envelope is judged by the plan executor. */
export const PlanJob = z.strictObject({
  v: z.literal(1),
  envelope: AnyObject,
  lease: PlanLeaseToken.optional(),
  traceparent: z.string().max(64).optional(),
});
export type PlanJob = z.infer<typeof PlanJob>;

/** How a plan ended. `signature` is a detached JWS over the canonical JSON of `{plan_sha256, envelope}`. */
export const PlanResult = z.strictObject({ plan_sha256: Sha256Hex, envelope: ResultEnvelope, signature: z.string() });
export type PlanResult = z.infer<typeof PlanResult>;
