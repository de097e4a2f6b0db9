import { z } from 'zod';
import { Sha256Hex, TaskId } from './ids.ts';

export const LEASE_TYP = 'writ-lease+jws';
/** Of leases that were signed together. */
export const LEASE_BUNDLE_TYP = 'writ-lease-bundle+jws';
export const RESULT_TYP = 'writ-result+jws';
export const REVOCATION_TYP = 'writ-revocation+jws';

/** Protected header of every token of ours; nothing else is accepted in it. */
export const TokenHeader = z.strictObject({ alg: z.literal('EdDSA'), typ: z.string(), kid: z.string().min(1).max(128) });
export type TokenHeader = z.infer<typeof TokenHeader>;

export const EpochSeconds = z.int().min(0).max(253402300799);

/** Permission to run exactly one manifest on one queue until `exp`. Times are whole seconds since 1970. */
export const LeasePayload = z.strictObject({
  v: z.literal(1),
  iss: z.string().min(1).max(128),
  /** The queue name including its pool, `file` or `file@pool`. */
  aud: z.string().min(1).max(128),
  jti: z.string().min(1).max(128),
  task_id: TaskId,
  capability_id: z.string().min(1).max(64),
  /** SHA-256 of the manifest's RFC 8785 form. */
  manifest_sha256: Sha256Hex,
  iat: EpochSeconds,
  exp: EpochSeconds,
});
export type LeasePayload = z.infer<typeof LeasePayload>;

/** One entry of the kernel's revocation log. `n` counts from 1 without gaps; an entry is signed on its own. */
export const RevocationPayload = z.strictObject({
  v: z.literal(1),
  n: z.int().min(1),
  jti: z.string().min(1).max(128),
  /** The revoked lease's own expiry: after it the entry no longer matters. */
  exp: EpochSeconds,
  at: EpochSeconds,
});
export type RevocationPayload = z.infer<typeof RevocationPayload>;
