import type { Clock } from '../src/core/clock.ts';
import type { Ledger, Presence, ResultSigner } from '../src/core/ports/index.ts';
import type { Authorities } from '../src/lease/index.ts';
import type { DeliveryReport } from '../src/observability/deliveries.ts';
import type { AroundDelivery } from '../src/observability/tracing/deliveries.ts';
import type { ExecutorOf } from './executors.ts';
import type { InFlight } from './in-flight.ts';

/** Everything that the pipeline needs; the composition root fills it. */
export interface PipelineDeps {
  readonly instance: string;
  readonly clock: Clock;
  readonly executorOf: ExecutorOf;
  readonly authorities: Authorities;
  readonly ledger: Ledger;
  readonly presence: Presence;
  readonly signer: ResultSigner;
  readonly inFlight: InFlight;
  /** Rebuilds the ledger after `lost`; concurrent callers share one run. */
  readonly recoverLedger: () => Promise<void>;
  readonly report: (report: DeliveryReport) => void;
  /** Around each delivery, the report of its end included. */
  readonly around?: AroundDelivery;
  /** A step of this plan has its answer: whoever waits for it may go on. */
  readonly wakePlan: (planSha256: string) => Promise<void>;
}
