import { z } from 'zod';
import { BOUNDS } from './bounds.ts';
import { Sha256Hex } from './ids.ts';
import { EpochSeconds } from './lease.ts';

export const PLAN_LEASE_TYP = 'writ-plan-lease+jws';

/** What a key must be good for to sign a plan's lease or end. */
export const PLAN_CAPABILITY = 'PLAN';

/** A compact JWS; room for 256 capabilities, and for 64 scopes of common length. */
export const PlanLeaseToken = z.string().max(BOUNDS.planLease);

/** Permission to run one linked envelope on one queue until `exp`, with these capabilities. Times are whole seconds since 1970. */
export const PlanLeasePayload = z.strictObject({
  v: z.literal(1),
  iss: z.string().min(1).max(128),
  /** The plan queue including its pool, `plan` or `plan@pool`. */
  aud: z.string().min(1).max(128),
  jti: z.string().min(1).max(128),
  /** SHA-256 of the linked envelope's RFC 8785 form. */
  plan_sha256: Sha256Hex,
  /** What its steps may ask: a capability, `TOOL_CALL` for every bound tool, or `TOOL_CALL:<ref>` for one. */
  capabilities: z.array(z.string().min(1).max(192)).max(256),
  /** Directories that file steps must stay in, or scopes that searches may name; absent: as the configuration allows. */
  scopes: z.array(z.string().min(1).max(4096)).max(64).optional(),
  iat: EpochSeconds,
  exp: EpochSeconds,
});
export type PlanLeasePayload = z.infer<typeof PlanLeasePayload>;
