import { canonicalAsSent, canonicalOf } from './canonical.ts';
import { isObject, sha256Of, signerOf } from './signature.ts';
import type { ExecutionResult, KeySet, PlanResult, TaskManifest } from './types.ts';

/** The task that a result must answer, for who does not hold its manifest. */
export interface ResultSubject {
  readonly task_id: string;
  readonly capability_id: string;
  /** SHA-256 of the canonical JSON of the manifest, hexadecimal. */
  readonly manifest_sha256: string;
}

/** `kid`: the key that signed it. `reason`: why this is no answer of an executor, as a sentence. */
export type Verified = { readonly ok: true; readonly kid: string } | { readonly ok: false; readonly reason: string };

/** The capability that a key must have to sign the end of a plan. */
const PLAN = 'PLAN';
const RESULT_MEMBERS = 'error,output,signature,status';

/**
 * Whether an executor has signed this answer for exactly this task (docs/leases.md), by WebCrypto alone. What was read from the
 * answer counts, in any order and spacing of its text.
 *
 * @param of the manifest that you pushed; or its id, capability and hash
 * @param keys the executors' keys that you trust: of `client.keys()`, or kept by you
 * @throws Error when WebCrypto has no Ed25519 here: a page that is no secure context, an old browser. Never for a hostile answer
 */
export async function verifyResult(result: ExecutionResult<unknown>, of: TaskManifest | ResultSubject, keys: KeySet): Promise<Verified> {
  if (!isObject(result) || Object.keys(result).sort().join() !== RESULT_MEMBERS) return refused('this is no ExecutionResult');
  const subject = await subjectOf(of);
  if (subject === undefined) return refused('the manifest has no canonical form');
  const { status, output, error, signature } = result;
  const shaped = status === 'SUCCESS' ? isObject(output) && error === null : status === 'FAILURE' && output === null && isObject(error);
  if (!shaped) return refused('this is no ExecutionResult');
  return judged(canonicalOf({ ...subject, status, output, error }), signature, subject.capability_id, keys);
}

/**
 * Whether an executor has signed this end for exactly this plan: `plan.result` of `plans.get` and `plans.wait`, with `memory`.
 *
 * @param planId the plan's id: SHA-256 of its linked envelope
 * @throws as `verifyResult`
 */
export async function verifyPlanResult(result: PlanResult, planId: string, keys: KeySet): Promise<Verified> {
  if (!isObject(result) || !isObject(result.envelope)) return refused('this is no end of a plan');
  const { envelope, plan_sha256, signature } = result;
  if (plan_sha256 !== planId) return refused('the end is of another plan');
  return judged(canonicalOf({ envelope, plan_sha256 }), signature, PLAN, keys);
}

async function judged(text: string | undefined, signature: unknown, capability: string, keys: KeySet): Promise<Verified> {
  if (text === undefined) return refused('the answer has no canonical form');
  const signer = await signerOf(text, signature, capability, keys);
  return 'refusal' in signer ? refused(signer.refusal) : { ok: true, kid: signer.kid };
}

function refused(reason: string): Verified {
  return { ok: false, reason };
}

async function subjectOf(of: TaskManifest | ResultSubject): Promise<ResultSubject | undefined> {
  if ('manifest_sha256' in of) return { task_id: of.task_id, capability_id: of.capability_id, manifest_sha256: String(of.manifest_sha256) };
  const text = canonicalAsSent(of);
  return text === undefined ? undefined : { task_id: of.task_id, capability_id: of.capability_id, manifest_sha256: await sha256Of(text) };
}
