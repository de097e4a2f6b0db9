/** Leases, signed results and revocations: who may run what, and who said that it was done. */
export { type Authorities, type AuthoritiesOptions, createAuthorities } from './authorities.ts';
export { authorizeLease, authorizeTimes, earlyBy, type LeaseCircumstances, type LeaseRefusal } from './authorize-lease.ts';
export { createKeyring, fixedKeyring, type Keyring, type KeyringOptions, type KeySource } from './keyring.ts';
export {
  generateKey,
  type KeyUse,
  mayServe,
  type PrivateJwk,
  type PublicJwk,
  publicJwk,
  type SigningKey,
  signingKey,
  toPublicJwk,
  type VerifyKey,
  verifyKey,
} from './keys.ts';
export { parseJwks, parsePrivateKey } from './parse-keys.ts';
export { peekLease } from './peek.ts';
export { createPlanEndSigner, verifyPlanEnd } from './plan-end.ts';
export { authenticatePlanLease, openPlanLease, signPlanLease } from './plan-lease.ts';
export { createResultSigner, type ResultSubject, verifyResult } from './result.ts';
export { createPlanEndReader, createResultReader } from './result-reader.ts';
export { signRevocation, verifyRevocation } from './revocation.ts';
export { createRevocationMirror, type RevocationMirror, type RevocationMirrorOptions, type TokenFile } from './revocation-mirror.ts';
export { type AuthenticatedLease, authenticateLease, type LeaseExpectations, openLease, signLease, signLeases } from './task-lease.ts';
export type { Checked, Verifier } from './token.ts';
