import type { PlanJobs } from '../../queues/plan-jobs.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { PlanStep } from '../../src/core/plan-step.ts';
import type {
  Bindings,
  Enqueue,
  Ledger,
  PlanEndSigner,
  PlanJournal,
  PlanKernel,
  PlanLogic,
  PlanViews,
  ResultReader,
  ResultSigner,
} from '../../src/core/ports/index.ts';
import type { Authorities } from '../../src/lease/index.ts';
import type { PlanReport } from '../../src/observability/plans.ts';
import type { AroundDelivery } from '../../src/observability/tracing/deliveries.ts';
import type { InFlight } from '../in-flight.ts';
import type { PlanPoint } from './points.ts';
import type { PlanReplay } from './replay.ts';

/** Everything that the plan role needs; the composition root fills it. */
export interface PlanDeps {
  readonly pool: string;
  readonly clock: Clock;
  /** Starts the pure run of a linked envelope. */
  readonly startPlan: PlanLogic['start'];
  readonly bindings: Bindings;
  readonly authorities: Authorities;
  readonly kernel: PlanKernel;
  readonly journal: PlanJournal;
  readonly views: PlanViews;
  readonly jobs: PlanJobs;
  readonly enqueue: Enqueue;
  readonly ledger: Ledger;
  readonly results: ResultReader;
  /** Signs the answer to a step that cannot be a task. */
  readonly signer: ResultSigner;
  readonly endSigner: PlanEndSigner;
  readonly inFlight: InFlight;
  readonly report: (report: PlanReport) => void;
  /** Around each delivery, the report of its end included. */
  readonly around?: AroundDelivery;
  /** Around putting a step on its queue. */
  readonly aroundStep?: <T>(step: PlanStep, work: () => Promise<T>) => Promise<T>;
  /** Told when a plan passes a point; chaos tests end the process in it. */
  readonly onPoint?: (point: PlanPoint, planSha256: string) => void;
}

/** One delivery of a plan's job, once its lease and its journal were read. */
export interface PlanContext {
  readonly planSha256: string;
  readonly envelope: JsonObject;
  readonly lease: string;
  /** Of the lease, seconds since 1970. */
  readonly exp: number;
  readonly traceparent: string | undefined;
  readonly replay: PlanReplay;
}
