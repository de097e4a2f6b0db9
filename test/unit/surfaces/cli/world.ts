import { createMemoryLedger } from '../../../../src/adapters/memory/ledger.ts';
import { createMemoryChannels } from '../../../../src/adapters/memory/signals.ts';
import type { TaskManifest } from '../../../../src/contracts/index.ts';
import { GENESIS, sealRecord } from '../../../../src/core/audit-chain.ts';
import type { OperatorRecord, PatientAuditLog, Receipt, TaskGateway } from '../../../../src/core/ports/index.ts';
import { type Cli, createCli } from './world-cli.ts';
import { type Asked, createKernelTwin, type Kernel, manifestOf } from './world-kernel.ts';
import { createPlanTwin, type PlanTwin } from './world-plans.ts';
import { createQueueTwin } from './world-queue.ts';
import { createWorkerTwin, type Worker } from './world-worker.ts';

/** Queues, ledger, kernel and clock in memory, with real signatures. */
export interface World extends Worker {
  readonly tasks: TaskGateway;
  readonly plans: PlanTwin;
  readonly kernel: Kernel['door'];
  readonly approvals: Kernel['approvals'];
  readonly signatures: Kernel['signatures'];
  readonly clock: { ms: number; now(): number; monotonic(): number };
  readonly manifest: typeof manifestOf;
  readonly lease: Kernel['lease'];
  /** Pushes with a lease. */
  push(manifest: TaskManifest, ttlS?: number): Promise<Receipt>;
  /** BullMQ forgets the job. */
  forget(taskId: string): void;
  readonly asked: Asked & { readonly pushed: string[][] };
  /** Called after every push, for workers that answer at once. */
  onPush: ((taskId: string) => void) | undefined;
  interrupt: AbortController;
  /** What the command line wrote down about itself. */
  readonly audit: OperatorRecord[];
  readonly cli: Cli;
}

export async function createWorld(): Promise<World> {
  const clock = { ms: Date.parse('2026-01-01T00:00:00Z'), now: () => clock.ms, monotonic: () => clock.ms };
  const channels = createMemoryChannels();
  const ledger = createMemoryLedger({ clock, channels, retentionMs: 86_400_000 });
  await ledger.markGeneration('g');
  const { enqueue, jobs, pushed } = createQueueTwin(ledger, clock, (taskId) => world.onPush?.(taskId));
  const kernel = createKernelTwin(clock);
  const tasks: TaskGateway = { enqueue, ledger, results: kernel.results, signals: channels, journal: undefined };
  const records: OperatorRecord[] = [];
  const audit: PatientAuditLog = {
    async append(action) {
      const record = sealRecord(records.at(-1) ?? GENESIS, action, clock.now());
      records.push(record);
      return record;
    },
    async keepForLater(action) {
      records.push(sealRecord(records.at(-1) ?? GENESIS, action, clock.now()));
    },
  };
  const plans = createPlanTwin(clock.now);
  const world: World = {
    tasks,
    plans,
    kernel: kernel.door,
    approvals: kernel.approvals,
    signatures: kernel.signatures,
    clock,
    asked: Object.assign(kernel.asked, { pushed }),
    onPush: undefined,
    interrupt: new AbortController(),
    audit: records,
    manifest: manifestOf,
    lease: kernel.lease,
    push: async (manifest, ttlS) => enqueue.push({ v: 1, manifest, lease: await kernel.lease(manifest, ttlS) }),
    forget: (taskId) => void jobs.delete(taskId),
    ...createWorkerTwin(ledger, jobs, kernel.signer, clock),
    cli: createCli({ clock, tasks, plans: plans.door, kernel: kernel.door, signatures: kernel.signatures, audit, interrupt: () => world.interrupt.signal }),
  };
  return world;
}
