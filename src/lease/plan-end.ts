import { BOUNDS, PLAN_CAPABILITY, RESULT_TYP } from '../contracts/index.ts';
import { canonicalJson, parseStrictJson } from '../core/canonical-json.ts';
import { messageOf, WritError } from '../core/errors.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { Ed25519, PlanEndSigner } from '../core/ports/index.ts';
import { toBase64url } from './base64url.ts';
import { mayServe, type SigningKey } from './keys.ts';
import { type Checked, encodeHeader, refused, signDetached, type Verifier, verifySignature } from './token.ts';

/** A plan's end holds all results and the memory. */
export const MAX_PLAN_END_BYTES = BOUNDS.planEnd;
const DETACHED = /^([A-Za-z0-9_-]+)\.\.([A-Za-z0-9_-]+)$/;

/**
 * Signs result envelopes: canonical JSON of `{envelope, plan_sha256, signature}` with a detached JWS over the first two. WritError
 * INVALID_RESULT for an end that no reader would take.
 */
export function createPlanEndSigner(key: SigningKey, ed25519: Ed25519): PlanEndSigner {
  const header = encodeHeader(RESULT_TYP, key.kid);
  return {
    async signEnd(planSha256, envelope) {
      const text = signedText(planSha256, envelope);
      const signature = await signDetached(header, text, key, ed25519);
      const end = `${text.slice(0, -1)},"signature":"${header}..${signature}"}`;
      const bytes = Buffer.byteLength(end);
      if (bytes > MAX_PLAN_END_BYTES) throw new WritError('INVALID_RESULT', `the end has ${bytes} bytes, at most ${MAX_PLAN_END_BYTES} are read`);
      return end;
    },
  };
}

/** Whether `text` is an executor's signed end of exactly this plan. Never throws on hostile input. */
export async function verifyPlanEnd(
  text: string,
  planSha256: string,
  verifier: Verifier,
): Promise<Checked<{ readonly envelope: JsonObject; readonly kid: string }>> {
  let end: Json;
  try {
    end = parseStrictJson(text, { maxBytes: MAX_PLAN_END_BYTES });
  } catch (error) {
    return refused(messageOf(error));
  }
  if (!isObject(end) || !isObject(end['envelope']) || typeof end['signature'] !== 'string') return refused('the text is no plan end');
  const { envelope } = end;
  const [, header, signature] = DETACHED.exec(end['signature']) ?? [];
  if (header === undefined || signature === undefined) return refused('the signature is not a detached JWS');
  if (end['plan_sha256'] !== planSha256) return refused('the end is of another plan');
  const payload = toBase64url(signedText(planSha256, envelope));
  const signed = await verifySignature({ header, payload, signature }, RESULT_TYP, verifier);
  if (!signed.ok) return signed;
  return mayServe(signed.key, PLAN_CAPABILITY)
    ? { ok: true, envelope, kid: signed.key.kid }
    : refused(`the key ${signed.key.kid} may not sign the end of a plan`);
}

function signedText(planSha256: string, envelope: JsonObject): string {
  return canonicalJson({ envelope, plan_sha256: planSha256 });
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
