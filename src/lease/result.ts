import { BOUNDS, ExecutionResult, RESULT_TYP } from '../contracts/index.ts';
import { canonicalJson, parseStrictJson } from '../core/canonical-json.ts';
import { messageOf } from '../core/errors.ts';
import { MAX_JSON_DEPTH, wellFormed } from '../core/i-json.ts';
import type { Outcome } from '../core/outcome.ts';
import type { Ed25519, ResultSigner } from '../core/ports/index.ts';
import { toBase64url } from './base64url.ts';
import { mayServe, type SigningKey } from './keys.ts';
import { type Checked, encodeHeader, refused, signDetached, type Verifier, verifySignature } from './token.ts';

/** The task that a result answers; it is signed, but not repeated in the result. */
export interface ResultSubject {
  readonly taskId: string;
  readonly capabilityId: string;
  readonly manifestSha256: string;
}

/** Results are stored and sent over HTTP; a larger one is no result of ours. */
export const MAX_RESULT_BYTES = BOUNDS.readResult;
const MAX_MESSAGE_CHARACTERS = 2000;
/** `header..signature` */
const DETACHED = /^([A-Za-z0-9_-]+)\.\.([A-Za-z0-9_-]+)$/;

/**
 * Signs outcomes. The text that it answers is the canonical JSON of the ExecutionResult, so the same outcome has the same
 * bytes. An output that is no I-JSON is a fault of the executor and throws WritError INVALID_MANIFEST.
 */
export function createResultSigner(key: SigningKey, ed25519: Ed25519): ResultSigner {
  const header = encodeHeader(RESULT_TYP, key.kid);
  return {
    async sign(manifest, manifestSha256, outcome) {
      const parts = canonicalParts(outcome);
      const subject = { taskId: manifest.task_id, capabilityId: manifest.capability_id, manifestSha256 };
      const signature = await signDetached(header, signedText(subject, parts), key, ed25519);
      return `{"error":${parts.error},"output":${parts.output},"signature":"${header}..${signature}","status":"${parts.status}"}`;
    },
  };
}

/**
 * Whether `text` is an executor's signed answer to exactly this task. White space and key order of the text do not matter:
 * the signature covers canonical content. Never throws on hostile input.
 */
export async function verifyResult(
  text: string,
  subject: ResultSubject,
  verifier: Verifier,
): Promise<Checked<{ readonly result: ExecutionResult; readonly kid: string }>> {
  const result = readResult(text);
  if (typeof result === 'string') return refused(result);
  const [, header, signature] = DETACHED.exec(result.signature) ?? [];
  if (header === undefined || signature === undefined) return refused('the signature is not a detached JWS');
  const payload = toBase64url(signedText(subject, canonicalParts(result)));
  const signed = await verifySignature({ header, payload, signature }, RESULT_TYP, verifier);
  if (!signed.ok) return signed;
  if (!mayServe(signed.key, subject.capabilityId)) return refused(`the key ${signed.key.kid} may not sign a result of ${subject.capabilityId}`);
  return { ok: true, result, kid: signed.key.kid };
}

/** The result in `text`, or why there is none. */
function readResult(text: string): ExecutionResult | string {
  try {
    const parsed = ExecutionResult.safeParse(parseStrictJson(text, { maxBytes: MAX_RESULT_BYTES }));
    return parsed.success
      ? parsed.data
      : `the text is no ExecutionResult: ${parsed.error.issues[0]?.path.join('.') ?? ''} ${parsed.error.issues[0]?.message ?? ''}`;
  } catch (error) {
    return messageOf(error);
  }
}

interface CanonicalParts {
  readonly status: Outcome['status'];
  readonly output: string;
  readonly error: string;
}

/** Output and error are canonicalized once and used twice; each is one level below the document that it becomes part of. */
function canonicalParts(outcome: Outcome | ExecutionResult): CanonicalParts {
  return {
    status: outcome.status,
    output: canonicalJson(outcome.output, MAX_JSON_DEPTH - 1),
    error: outcome.error === null ? 'null' : canonicalJson({ error_code: outcome.error.error_code, message: sentence(outcome.error.message) }),
  };
}

/** Messages may quote file names and system errors, which promise neither well-formed Unicode nor a length. */
function sentence(message: string): string {
  return wellFormed(wellFormed(message).slice(0, MAX_MESSAGE_CHARACTERS));
}

/** Canonical JSON of `{task_id, capability_id, manifest_sha256, status, output, error}`, put together from canonical parts. */
function signedText({ taskId, capabilityId, manifestSha256 }: ResultSubject, { status, output, error }: CanonicalParts): string {
  return (
    `{"capability_id":${JSON.stringify(capabilityId)},"error":${error},"manifest_sha256":"${manifestSha256}",` +
    `"output":${output},"status":"${status}","task_id":${JSON.stringify(taskId)}}`
  );
}
