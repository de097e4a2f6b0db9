import { LEASE_TYP, LeasePayload, LeaseToken, type TaskManifest } from '../contracts/index.ts';
import { WritError } from '../core/errors.ts';
import type { Authority, Ed25519 } from '../core/ports/index.ts';
import { authorizeLease, type LeaseRefusal, type WorkerAuthority } from './authorize-lease.ts';
import { signBundle, splitBundled, verifyBundled } from './bundle.ts';
import { mayServe, type SigningKey, type VerifyKey } from './keys.ts';
import { type Checked, readPayload, refused, signToken, splitToken, type Verifier, verifySignature } from './token.ts';

/** What a lease must say to be permission for this manifest on this queue. */
export interface LeaseExpectations {
  readonly manifest: Pick<TaskManifest, 'task_id' | 'capability_id'>;
  readonly manifestSha256: string;
  /** Queue name including its pool. */
  readonly aud: string;
  readonly iss: string;
}

export type AuthenticatedLease = Checked<{ readonly lease: LeasePayload; readonly authority: Authority }>;

/** What a worker asks about the lease of a task. */
export interface TaskAuthority {
  /** Is it the kernel's word about this manifest on this queue? As `authenticateLease`. */
  authenticate(manifest: TaskManifest, manifestSha256: string, lease: string | undefined, queue: string): Promise<AuthenticatedLease>;
  /** Revocation, lifetime, expiry and capability, now. */
  authorize(lease: LeasePayload, capabilities: ReadonlySet<string>): LeaseRefusal | undefined;
}

export function createTaskAuthority({ verifier, issuer, circumstances }: WorkerAuthority): TaskAuthority {
  return {
    authenticate: (manifest, manifestSha256, lease, queue) => authenticateLease(lease, { manifest, manifestSha256, aud: queue, iss: issuer }, verifier),
    authorize: (lease, capabilities) => authorizeLease(lease, circumstances(), capabilities),
  };
}

/** A genuine lease: shape, key and signature are right, and the key may sign for this capability. */
export async function openLease(token: string, verifier: Verifier): Promise<Checked<{ readonly lease: LeasePayload; readonly key: VerifyKey }>> {
  if (!LeaseToken.safeParse(token).success) return refused('the lease is longer than 4096 characters');
  const parts = hasThreeDots(token) ? splitBundled(token) : splitToken(token);
  if (parts === undefined) return refused('the lease is not a compact JWS');
  const signed = await ('path' in parts ? verifyBundled(parts, verifier) : verifySignature(parts, LEASE_TYP, verifier));
  if (!signed.ok) return signed;
  const { key } = signed;
  const payload = LeasePayload.safeParse(readPayload(parts.payload));
  if (!payload.success) return refused('the payload is not a lease in canonical form');
  if (!mayServe(key, payload.data.capability_id)) return refused(`the key ${key.kid} may not sign a lease for ${payload.data.capability_id}`);
  return { ok: true, lease: payload.data, key };
}

/** Whether a token can be one of a bundle, and not one of its own: to look for dots is cheaper than to try one shape after the other. */
function hasThreeDots(token: string): boolean {
  const second = token.indexOf('.', token.indexOf('.') + 1);
  return token.indexOf('.', second + 1) > second && second > 0;
}

/**
 * First stage (protocol.md section 3): is this token really the kernel's word about exactly this manifest on this queue?
 * Says nothing about time or revocation. Every refusal means INVALID_LEASE. Never throws on hostile input; a keyring that
 * cannot be read throws.
 */
export async function authenticateLease(token: string | undefined, expected: LeaseExpectations, verifier: Verifier): Promise<AuthenticatedLease> {
  if (token === undefined || token === '') return refused('the job carries no lease');
  const opened = await openLease(token, verifier);
  if (!opened.ok) return opened;
  const { lease, key } = opened;
  const mismatch = contradiction(lease, expected);
  if (mismatch !== undefined) return refused(mismatch);
  return { ok: true, lease, authority: { jti: lease.jti, exp: lease.exp, kid: key.kid } };
}

/** The first way in which a genuine lease is not permission for this manifest, as a sentence. */
function contradiction(lease: LeasePayload, { manifest, manifestSha256, aud, iss }: LeaseExpectations): string | undefined {
  if (lease.iss !== iss) return `the lease was issued by ${lease.iss}, not by ${iss}`;
  if (lease.aud !== aud) return `the lease is for the queue ${lease.aud}, not for ${aud}`;
  if (lease.task_id !== manifest.task_id) return 'the lease is for another task_id';
  if (lease.capability_id !== manifest.capability_id) return `the lease is for ${lease.capability_id}, not for ${manifest.capability_id}`;
  if (lease.manifest_sha256 !== manifestSha256) return 'the lease is for another manifest';
  return undefined;
}

/**
 * Signs a lease. The same payload and key give the same token.
 *
 * @throws WritError INVALID_ARGUMENT for a payload that is no lease, LEASE_REFUSED for a key that may not sign it
 */
export async function signLease(payload: LeasePayload, key: SigningKey, ed25519: Ed25519): Promise<string> {
  assertSignable(payload, key);
  return signToken(LEASE_TYP, payload, key, ed25519);
}

/**
 * Signs leases together: one signature for all of them. A single one is an ordinary lease.
 *
 * @param payloads at most 512
 * @returns tokens in the order of the payloads
 * @throws WritError as `signLease`
 */
export async function signLeases(payloads: readonly LeasePayload[], key: SigningKey, ed25519: Ed25519): Promise<readonly string[]> {
  if (payloads.length < 2) return Promise.all(payloads.map((payload) => signLease(payload, key, ed25519)));
  for (const payload of payloads) assertSignable(payload, key);
  return signBundle(payloads, key, ed25519);
}

function assertSignable(payload: LeasePayload, key: SigningKey): void {
  const shape = LeasePayload.safeParse(payload);
  if (!shape.success) {
    const field = shape.error.issues[0]?.path.join('.') ?? '';
    throw new WritError('INVALID_ARGUMENT', `the lease's ${field} ${shape.error.issues[0]?.message ?? ''}`, { field });
  }
  if (key.use !== 'lease' || !mayServe(key, payload.capability_id))
    throw new WritError('LEASE_REFUSED', `the key ${key.kid} may not sign a lease for ${payload.capability_id}`);
}
