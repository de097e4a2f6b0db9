import type { PipelineDeps } from '../../processors/context.ts';
import type { LocalSteps } from '../../processors/local-steps.ts';
import type { PlanDeps } from '../../processors/plan/context.ts';
import type { OpenWorker } from '../../processors/queue-worker.ts';
import type { Slots } from '../../processors/slots.ts';
import type {
  ApprovalStore,
  ConfinedFileSystem,
  FileJournal,
  FiringLane,
  HostMemory,
  InstanceRegistry,
  Ledger,
  PlanEnds,
  PlanJournal,
  QuestionKernel,
  ScheduleStore,
  TaskExecutor,
  ToolJournal,
  WebhookOutbox,
} from '../../src/core/ports/index.ts';
import type { FollowDeps } from '../../src/webhooks/io/follow-outcomes.ts';
import type { SenderDeps } from '../../src/webhooks/io/sender.ts';
import type { SimProcess } from './scheduler.ts';
import type { Disk } from './twins/disk.ts';
import type { QueueTwin } from './twins/queue.ts';
import type { Stores } from './twins/stores.ts';
import type { World } from './world.ts';

/** What a seam may look at beside the part that it replaces. */
export interface SeamContext {
  readonly world: World;
  readonly process: SimProcess;
}

/** Where a mutant gets between two parts of the product; each answers the part that is used instead. */
export interface Seams {
  readonly ledger?: (ledger: Ledger, context: SeamContext) => Ledger;
  readonly memory?: (memory: HostMemory, context: SeamContext) => HostMemory;
  readonly executor?: (executor: TaskExecutor, context: SeamContext) => TaskExecutor;
  readonly fileSystem?: (fileSystem: ConfinedFileSystem, context: SeamContext) => ConfinedFileSystem;
  readonly fileJournal?: (journal: FileJournal, context: SeamContext) => FileJournal;
  readonly toolJournal?: (journal: ToolJournal, context: SeamContext) => ToolJournal;
  readonly planJournal?: (journal: PlanJournal, context: SeamContext) => PlanJournal;
  /** False: nobody looks for plans whose jobs are lost. */
  readonly sweeps?: boolean;
  /** False: nobody looks for jobs that wrong clocks keep delayed. */
  readonly looksForLate?: boolean;
  readonly instances?: (instances: InstanceRegistry, context: SeamContext) => InstanceRegistry;
  readonly promote?: (promote: PipelineDeps['promote'], context: SeamContext) => PipelineDeps['promote'];
  readonly slots?: (slots: Slots, context: SeamContext) => Slots;
  readonly local?: (local: LocalSteps, context: SeamContext) => LocalSteps;
  /** Of steps that run without a job. */
  readonly localDeps?: (deps: PipelineDeps, context: SeamContext) => PipelineDeps;
  readonly plan?: (deps: PlanDeps, context: SeamContext) => PlanDeps;
  readonly deps?: (deps: PipelineDeps, context: SeamContext) => PipelineDeps;
  readonly schedules?: (store: ScheduleStore, context: SeamContext) => ScheduleStore;
  /** Where the kernel keeps questions. */
  readonly approvals?: (store: ApprovalStore, world: World) => ApprovalStore;
  /** What the kernel says to a plan that asks. */
  readonly questions?: (kernel: QuestionKernel, store: ApprovalStore) => QuestionKernel;
  /** False: who answers a question wakes no plan. */
  readonly wakes?: boolean;
  /** What the API hears of ends of plans. */
  readonly planEnds?: (ends: PlanEnds, context: SeamContext) => PlanEnds;
  readonly outbox?: (outbox: WebhookOutbox, context: SeamContext) => WebhookOutbox;
  /** What followers of ends are told of one. */
  readonly outcome?: (outcome: FollowDeps['outcome']) => FollowDeps['outcome'];
  /** One attempt to deliver a notice. */
  readonly attempt?: (attempt: SenderDeps['attempt'], context: SeamContext) => SenderDeps['attempt'];
  readonly lane?: (lane: FiringLane, context: SeamContext) => FiringLane;
  readonly openWorker?: (open: OpenWorker, context: SeamContext) => OpenWorker;
  readonly disk?: (disk: Disk) => void;
  readonly planQueue?: (queue: QueueTwin) => void;
  /** The journal that keeps no line of what it trims. */
  readonly forgets?: keyof Stores;
  /** Writes of journals that are answered before they are synced. */
  readonly unsynced?: Readonly<Partial<Record<keyof Stores, readonly string[]>>>;
}
