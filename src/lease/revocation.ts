import { LeaseToken, REVOCATION_TYP, RevocationPayload } from '../contracts/index.ts';
import type { Ed25519 } from '../core/ports/index.ts';
import type { SigningKey } from './keys.ts';
import { type Checked, readHeader, readPayload, refused, signToken, splitToken, type Verifier, verifySignature } from './token.ts';

/** Signs one entry of the revocation log. */
export function signRevocation(entry: RevocationPayload, key: SigningKey, ed25519: Ed25519): Promise<string> {
  return signToken(REVOCATION_TYP, RevocationPayload.parse(entry), key, ed25519);
}

/**
 * Whether a token is an entry of the kernel's revocation log. Every key of the ring counts, one without capabilities too:
 * a retired key signs no lease, but what it revoked stays revoked.
 */
export async function verifyRevocation(token: string, verifier: Verifier): Promise<Checked<{ readonly entry: RevocationPayload }>> {
  const parts = LeaseToken.safeParse(token).success ? splitToken(token) : undefined;
  if (parts === undefined) return refused('the entry is not a compact JWS');
  const signed = await verifySignature(parts, REVOCATION_TYP, verifier);
  if (!signed.ok) return signed;
  const entry = RevocationPayload.safeParse(readPayload(parts.payload));
  return entry.success ? { ok: true, entry: entry.data } : refused('the entry is not a revocation in canonical form');
}

/** The entry in a token whose signature was checked when it was stored; undefined for a torn or foreign line. */
export function readRevocation(token: string): { readonly entry: RevocationPayload; readonly kid: string } | undefined {
  const parts = splitToken(token);
  if (parts?.signature.length !== 86) return undefined;
  const header = readHeader(parts.header);
  const entry = RevocationPayload.safeParse(readPayload(parts.payload));
  return header?.typ === REVOCATION_TYP && entry.success ? { entry: entry.data, kid: header.kid } : undefined;
}
