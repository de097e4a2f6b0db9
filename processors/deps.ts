import type { LeasePayload, TaskManifest } from '../src/contracts/index.ts';
import type { Clock } from '../src/core/clock.ts';
import type { Authority, Ledger, Presence, ResultSigner, TaskExecutor } from '../src/core/ports/index.ts';
import type { ResultErrorCode } from '../src/contracts/index.ts';
import type { InFlight } from './in-flight.ts';

/** A lease that authenticates a manifest, before anything is said about expiry. */
export type Authentication =
  | { readonly ok: true; readonly lease: LeasePayload; readonly authority: Authority }
  | { readonly ok: false; readonly message: string };

/** Who may run what (`src/lease`). */
export interface Authorities {
  authenticate(manifest: TaskManifest, manifestSha256: string, lease: string | undefined, queue: string): Promise<Authentication>;
  /** Brings the revocation mirror up to what was published before this call. */
  refresh(): Promise<void>;
  /** Expiry, revocation, lifetime and capability, now; synchronous, because it is also the gate before an intent. */
  authorize(lease: LeasePayload, capabilities: ReadonlySet<string>): { readonly code: ResultErrorCode; readonly message: string } | undefined;
  /** Whether a stored result is really the executor's answer to this task. */
  verifyResult(result: string, manifest: TaskManifest, manifestSha256: string): Promise<boolean>;
}

/** What happened to one delivery; one structured log line each (step 8 of the pipeline). */
export interface DeliveryReport {
  readonly queue: string;
  readonly jobId: string;
  readonly taskId: string | undefined;
  readonly capability: string | undefined;
  readonly end: string;
  readonly code: string | undefined;
  readonly message: string | undefined;
  readonly ms: number;
  readonly takeovers: number;
  readonly error?: unknown;
}

/** Everything that the pipeline needs; the composition root fills it. */
export interface PipelineDeps {
  readonly instance: string;
  readonly clock: Clock;
  readonly executor: TaskExecutor;
  readonly authorities: Authorities;
  readonly ledger: Ledger;
  readonly presence: Presence;
  readonly signer: ResultSigner;
  readonly inFlight: InFlight;
  /** Rebuilds the ledger after `lost`; concurrent callers share one run. */
  readonly recoverLedger: () => Promise<void>;
  readonly report: (report: DeliveryReport) => void;
}
