import type { Clock } from '../core/clock.ts';
import type { Ed25519, KernelStore, RevocationFeed } from '../core/ports/index.ts';
import type { Keyring, SigningKey } from '../lease/index.ts';

export interface KernelConfig {
  /** `iss` of every lease. */
  readonly issuer: string;
  /** Lifetime of a lease when nobody asks for another, seconds. */
  readonly ttl: number;
  /** Longest lifetime, seconds. */
  readonly maxTtl: number;
  /** The queue, pool included, that serves a capability; undefined when none does. */
  readonly audienceOf: (capabilityId: string) => string | undefined;
}

export interface KernelOptions {
  readonly store: KernelStore;
  readonly key: SigningKey;
  /** Every kernel key that still counts, ours included: verifies leases that are to be revoked, and is served as JWKS. */
  readonly kernelKeyring: Keyring;
  /** Verifies the results on which `regrant` and `undo` rest. */
  readonly executorKeyring: Keyring;
  readonly ed25519: Ed25519;
  readonly config: KernelConfig;
  readonly clock: Clock;
  /** At least 128 random bits, as text. */
  readonly randomId: () => string;
  /** Carries revocations to the workers; absent where there is no Redis. */
  readonly feed?: RevocationFeed;
  /** Told about trouble that no caller sees. */
  readonly report?: (problem: string) => void;
}
