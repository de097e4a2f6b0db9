import type { PlanJobs } from '../../queues/plan-jobs.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { StopReason } from '../../src/core/outcome.ts';
import type { PlanStep } from '../../src/core/plan-step.ts';
import type {
  Bindings,
  Enqueue,
  Ledger,
  PlanEnd,
  PlanEndSigner,
  PlanGeneration,
  PlanJournal,
  PlanKernel,
  PlanLogic,
  PlanViews,
  QuestionKernel,
  ResultReader,
  ResultSigner,
} from '../../src/core/ports/index.ts';
import type { Authorities, LeaseRefusal } from '../../src/lease/index.ts';
import type { PlanReport } from '../../src/observability/plans.ts';
import type { AroundDelivery } from '../../src/observability/tracing/deliveries.ts';
import type { InFlight } from '../in-flight.ts';
import type { LocalSteps } from '../local-steps.ts';
import type { ParkingDeps } from '../parking.ts';
import type { OpenWorker } from '../queue-worker.ts';
import type { RepeatedFaults } from '../repeated-faults.ts';
import type { PlanPoint } from './points.ts';
import type { PlanReplay } from './replay.ts';
import type { Residents } from './residents.ts';
import type { Walk } from './walk.ts';

/** Everything that the plan role needs; the composition root fills it. */
export interface PlanDeps extends Pick<ParkingDeps, 'promote' | 'parkMs'> {
  readonly pool: string;
  readonly clock: Clock;
  /** What time it is for everybody, milliseconds since 1970. */
  readonly redisTime: () => Promise<number>;
  /** Starts the pure run of a linked envelope. */
  readonly startPlan: PlanLogic['start'];
  readonly bindings: Bindings;
  readonly authorities: Authorities;
  readonly kernel: PlanKernel;
  /** Keeps what steps ask people; absent: a plan that asks is refused. */
  readonly questions?: QuestionKernel;
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
  /** Steps that this worker may run itself; absent: every step goes to its queue. */
  readonly local?: LocalSteps;
  /** Walks that wait in their slots; absent: a plan that waits for a step is parked at once. */
  readonly residents?: Residents;
  /** Crashes of this process. */
  readonly faults: RepeatedFaults;
  readonly report: (report: PlanReport) => void;
  /** Opens the worker of the queue; BullMQ's unless the simulation gives one that lives in memory. */
  readonly open?: OpenWorker;
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
  /** Retries of the plan so far; what this delivery decides counts for no later one. */
  readonly generation: number;
  readonly envelope: JsonObject;
  readonly lease: string;
  /** Of the lease, seconds since 1970. */
  readonly exp: number;
  readonly traceparent: string | undefined;
  readonly replay: PlanReplay;
  readonly walk: Walk;
  /** Why the plan's lease does not stand any more, as far as this worker knows now. */
  readonly refusal: () => LeaseRefusal | undefined;
}

/** How one delivery of a plan's job ended; `settlePlan` maps it to what BullMQ does. */
export type PlanDeliveryEnd =
  /** No plan job at all. */
  | { readonly kind: 'malformed'; readonly message: string }
  /** The lease is not the kernel's word about this plan: nothing was written. */
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'ended'; readonly plan: PlanGeneration; readonly end: PlanEnd; readonly replayed: boolean }
  /** A step runs, or the plan runs in another job; `isAnswered` looks once more when the job is parked. */
  | { readonly kind: 'parked'; readonly ms: number; readonly isAnswered: () => Promise<boolean> }
  /** This process works on the plan already. */
  | { readonly kind: 'busy' }
  /** `stale`: the plan was retried while this delivery worked on it, which so decides nothing. */
  | { readonly kind: 'interrupted'; readonly reason: StopReason | 'stale' }
  /** Something that should not happen did, so often in a row; the plan runs again. */
  | { readonly kind: 'crashed'; readonly error: unknown; readonly inRow: number };
