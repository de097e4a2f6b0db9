import { z } from 'zod';
import { BOUNDS, LeaseToken, PlanLeaseToken, Sha256Hex, TaskId, TaskManifest } from '../contracts/index.ts';
import { ERRORS, type ErrorCode } from '../core/errors.ts';

/** What travels over the kernel's socket; names on the wire are in snake case, as in every document of ours. */

const By = z.string().min(1).max(256);
const Ttl = z.int().min(1);
const grantFields = { ttl: Ttl.optional(), by: By.optional() };
/** Judged by the kernel itself, one by one. */
const Manifest = z.unknown().refine((value) => value !== undefined, 'is missing');
const Result = z.string().max(BOUNDS.readResult);

export const IssueBody = z.strictObject({
  tasks: z.array(z.strictObject({ manifest: Manifest, confirmed_by: By.optional() })).max(500),
  ...grantFields,
  not_before: z.int().min(0).optional(),
});
export const RegrantBody = z.strictObject({ manifest: Manifest, result: Result, ...grantFields });
export const RegrantManyBody = z.strictObject({ tasks: z.array(z.strictObject({ manifest: Manifest, result: Result })).max(500), ...grantFields });
export const UndoBody = z.strictObject({ manifest: Manifest, result: Result, earlier_undos: z.int().min(0), ...grantFields });
export const RevokeBody = z.union([
  z.strictObject({ lease: PlanLeaseToken, by: By.optional() }),
  z.strictObject({ jti: z.string().min(1).max(128), exp: z.int().min(0).max(253402300799), by: By.optional() }),
]);

const Evidence = z.array(z.strictObject({ path: z.string().max(1024), generation: z.int().min(0), result: Result })).max(1100);
const Envelope = z.record(z.string(), z.unknown());
export const PlanLeaseBody = z.strictObject({
  envelope: Envelope,
  capabilities: z.array(z.string().min(1).max(192)).max(256).optional(),
  scopes: z.array(z.string().min(1).max(4096)).max(64).optional(),
  renews: z.string().max(BOUNDS.planLease).optional(),
  ...grantFields,
  not_before: z.int().min(0).optional(),
});
export const DeriveBody = z.strictObject({
  plan_sha256: Sha256Hex,
  lease: PlanLeaseToken,
  envelope: Envelope.optional(),
  since: z.int().min(0),
  answers: Evidence,
  voided: Evidence,
});

const granted = { task_id: TaskId, manifest_sha256: Sha256Hex, lease: LeaseToken, jti: z.string(), exp: z.int() };
const Code = z.enum(Object.keys(ERRORS)).transform((code): ErrorCode => (isErrorCode(code) ? code : 'INTERNAL'));

export const Granted = z.object(granted);
export const IssueReply = z.object({
  answers: z.array(
    z.discriminatedUnion('ok', [
      z.object({ ok: z.literal(true), ...granted }),
      z.object({ ok: z.literal(false), code: Code, message: z.string(), field: z.string().optional() }),
    ]),
  ),
});
export const JudgeReply = z.object({
  answers: z.array(
    z.discriminatedUnion('ok', [
      z.object({ ok: z.literal(true), aud: z.string().optional() }),
      z.object({ ok: z.literal(false), code: Code, message: z.string(), field: z.string().optional() }),
    ]),
  ),
});
/** A lease for a manifest that the kernel itself has computed. */
export const GrantedManifest = z.object({ manifest: TaskManifest, ...granted });
/** The same to a caller that may know the manifest. */
export const Derived = z.object({ manifest: TaskManifest.optional(), ...granted });
export const PlanLeaseReply = z.object({ plan_sha256: Sha256Hex, lease: z.string(), jti: z.string(), exp: z.int(), capabilities: z.array(z.string()) });
export const ManifestReply = z.object({ manifest: TaskManifest });
export const RevokeReply = z.object({ n: z.int(), jti: z.string(), published: z.boolean() });
export const KeysReply = z.object({ keys: z.array(z.looseObject({})) });
export const HealthReply = z.object({
  issuer: z.string(),
  kid: z.string(),
  revocations: z.object({ number: z.int(), published: z.boolean(), problem: z.string().optional() }),
});

/** The protocol of a connection that goes on in lines (lines-server.ts). */
export const LINES = 'writ-lines';

const LineId = z.int().min(1);
export const LineQuestion = z.strictObject({
  id: LineId,
  /** The manifest that the caller has computed itself: an answer with this one leaves it out. */
  knows: Sha256Hex.optional(),
  body: z.unknown(),
});
export type LineQuestion = z.infer<typeof LineQuestion>;

/** RFC 9457 with our code and, where one is to blame, the field. */
export const Problem = z.looseObject({ title: z.string(), status: z.int(), detail: z.string(), code: Code, field: z.string().optional() });
export type Problem = z.infer<typeof Problem>;

export const LineReply = z.union([z.object({ id: LineId, answer: z.unknown() }), z.object({ id: LineId, problem: Problem })]);
export type LineReply = z.infer<typeof LineReply>;
export const PROBLEM_TYPE = 'application/problem+json';

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}
