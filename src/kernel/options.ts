import type { TaskManifest } from '../contracts/index.ts';
import type { Clock } from '../core/clock.ts';
import type { ApprovalStore, Bindings, Ed25519, KernelStore, PlanLogic, RevocationFeed, ScheduleStore } from '../core/ports/index.ts';
import type { Keyring, SigningKey } from '../lease/index.ts';

/** Asked for at each lease: the limits may be exchanged while the kernel runs. */
export interface KernelConfig {
  /** `iss` of every lease. */
  readonly issuer: string;
  /** Lifetime of a lease when nobody asks for another, seconds. */
  readonly ttl: number;
  /** Longest lifetime, seconds. */
  readonly maxTtl: number;
  /** Whether the leases of one request are signed together; true unless given. */
  readonly bundles?: boolean;
  /** The queue, pool included, that serves a manifest; undefined when none does. */
  readonly audienceOf: (manifest: Pick<TaskManifest, 'capability_id' | 'inputs'>) => string | undefined;
}

/** What the kernel needs to know of plans. */
export interface KernelPlans {
  readonly logic: PlanLogic;
  readonly bindings: Bindings;
  /** For one signature at a time, on this thread: a step needs one and verifies one, and a turn through another thread costs more. */
  readonly ed25519: Ed25519;
  /** The plan queue, pool included. */
  readonly queue: string;
}

export interface KernelOptions {
  readonly store: KernelStore;
  /** Absent: this kernel keeps no schedules. */
  readonly schedules?: ScheduleStore;
  /** Absent: plans of this kernel ask nobody. */
  readonly approvals?: ApprovalStore;
  readonly key: SigningKey;
  /** Every kernel key that still counts, ours included: verifies leases that are to be revoked, and is served as JWKS. */
  readonly kernelKeyring: Keyring;
  /** Verifies the results on which `regrant` and `undo` rest. */
  readonly executorKeyring: Keyring;
  readonly ed25519: Ed25519;
  readonly config: KernelConfig;
  readonly clock: Clock;
  /** Absent: this kernel signs no plans. */
  readonly plans?: KernelPlans;
  /** At least 128 random bits, as text. */
  readonly randomId: () => string;
  /** Carries revocations to the workers; absent where there is no Redis. */
  readonly feed?: RevocationFeed;
  /** Told about trouble that no caller sees. */
  readonly report?: (problem: string) => void;
}
