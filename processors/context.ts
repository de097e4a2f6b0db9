import type { LeasePayload, TaskJob, TaskManifest } from '../src/contracts/index.ts';
import type { Clock } from '../src/core/clock.ts';
import type { Authority, Ledger, Presence, ResultReader, ResultSigner, Task, TaskExecutor } from '../src/core/ports/index.ts';
import type { Authorities } from '../src/lease/index.ts';
import type { DeliveryReport } from '../src/observability/deliveries.ts';
import type { AroundDelivery } from '../src/observability/tracing/deliveries.ts';
import type { Delivery } from './delivery.ts';
import type { InFlight, Running } from './in-flight.ts';
import type { ParkingDeps } from './parking.ts';
import type { RepeatedFaults } from './repeated-faults.ts';

/** Everything that the pipeline needs; the composition root fills it. */
export interface PipelineDeps extends Pick<ParkingDeps, 'promote' | 'parkMs'> {
  readonly instance: string;
  readonly clock: Clock;
  /** The executor of a capability. */
  readonly executorOf: (capabilityId: string) => TaskExecutor;
  readonly authorities: Authorities;
  readonly ledger: Ledger;
  readonly results: ResultReader;
  readonly presence: Presence;
  readonly signer: ResultSigner;
  readonly inFlight: InFlight;
  /** Crashes of this process. */
  readonly faults: RepeatedFaults;
  /** Rebuilds the ledger after `lost`; concurrent callers share one run. */
  readonly recoverLedger: () => Promise<void>;
  readonly report: (report: DeliveryReport) => void;
  /** Around each delivery, the report of its end included. */
  readonly around?: AroundDelivery;
  /** Why no new effect may begin: what its record would be written to is not what its path leads to. `undefined`: it is. */
  readonly exchanged?: () => string | undefined;
  /** A step of this plan has its answer: whoever waits for it may go on. */
  readonly wakePlan: (planSha256: string) => Promise<void>;
}

/** One delivery on its way through the pipeline: one record, to which each step adds what it has found. */
export interface DeliveryContext {
  readonly delivery: Delivery;
  readonly running: Running;
  readonly deps: PipelineDeps;
  /** Of the monotonic clock. */
  readonly startedAt: number;
}

/** After step 1: the job is a contract. */
export interface ParsedDelivery extends DeliveryContext {
  readonly job: TaskJob;
  readonly manifest: TaskManifest;
  readonly manifestSha256: string;
}

/** After step 2: the lease is the kernel's word about this manifest. */
export interface AuthenticatedDelivery extends ParsedDelivery {
  readonly lease: LeasePayload;
  readonly authority: Authority;
}

/** After step 3: the ledger has granted the task to this delivery. */
export interface ClaimedDelivery extends AuthenticatedDelivery {
  readonly task: Task;
  /** Which ask the job stands for (docs/protocol.md section 2). */
  readonly wish: string;
  readonly executor: TaskExecutor;
  /** Workers that were lost with the task since its last record. */
  readonly takeovers: number;
  /** Deliveries of it that crashed since then. */
  readonly crashes: number;
  /** A cancel came before the claim. */
  readonly cancelled: boolean;
  /** `known` when every revocation is known that was published before `askedAt`, of the monotonic clock. */
  readonly revocations: { readonly askedAt: number; readonly known: Promise<void> };
}

/** The context itself with what a step has found. */
export function extend<Context extends DeliveryContext, Found>(context: Context, found: Found): Context & Found {
  return Object.assign(context, found);
}
