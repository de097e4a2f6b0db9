import { LEASE_TYP, LeasePayload } from '../contracts/index.ts';
import { WritError } from '../core/errors.ts';
import type { Ed25519 } from '../core/ports/index.ts';
import { mayServe, type SigningKey } from './keys.ts';
import { signToken } from './token.ts';

/**
 * Signs a lease. The same payload and key give the same token.
 *
 * @throws WritError INVALID_ARGUMENT for a payload that is no lease, LEASE_REFUSED for a key that may not sign it
 */
export async function signLease(payload: LeasePayload, key: SigningKey, ed25519: Ed25519): Promise<string> {
  const shape = LeasePayload.safeParse(payload);
  if (!shape.success) {
    const field = shape.error.issues[0]?.path.join('.') ?? '';
    throw new WritError('INVALID_ARGUMENT', `the lease's ${field} ${shape.error.issues[0]?.message ?? ''}`, { field });
  }
  if (key.use !== 'lease' || !mayServe(key, payload.capability_id))
    throw new WritError('LEASE_REFUSED', `the key ${key.kid} may not sign a lease for ${payload.capability_id}`);
  return signToken(LEASE_TYP, payload, key, ed25519);
}
