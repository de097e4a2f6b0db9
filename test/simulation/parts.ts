import type { PlanReceipt, PushedSubject, Receipt, Wished } from '../../src/core/ports/index.ts';
import type { Checker } from './checker.ts';
import type { startWorker } from './host.ts';
import type { Host } from './machine.ts';
import type { PlanTicket } from './plan-tickets.ts';
import type { SimProcess } from './scheduler.ts';
import type { Ticket } from './tasks.ts';
import type { Disk } from './twins/disk.ts';
import type { KernelTwin } from './twins/kernel.ts';
import type { RedisTwin } from './twins/redis.ts';
import type { World } from './world.ts';

/** One push of a task or plan; `undefined` where it was left to others. */
export type Push = () => Promise<Receipt | PlanReceipt | undefined>;

/** Everything that one history consists of. */
export interface Parts {
  readonly world: World;
  readonly checker: Checker;
  readonly redis: RedisTwin;
  readonly disk: Disk;
  readonly kernel: KernelTwin;
  readonly host: Host;
  readonly tickets: readonly Ticket[];
  readonly plans: readonly PlanTicket[];
  /** Plans that take others back, by those. */
  readonly undos: Map<string, string>;
  /** The worker that serves each place now. */
  readonly workers: ReturnType<typeof startWorker>[];
  /** The process that makes the firings of the schedule. */
  readonly kernelProcess: { current: SimProcess | undefined };
  /** The process that tells receivers of webhooks. */
  readonly apiProcess: { current: SimProcess | undefined };
  /** How a producer pushes a task or a plan of whose end he wishes to be told; only in histories with webhooks. */
  readonly wishes: { push?: (of: PushedSubject & Pick<Wished, 'manifestSha256'>, process: SimProcess, push: Push) => Promise<void> };
  /** How each task and plan is pushed again when Redis has lost it. */
  readonly pushAgain: Map<string, () => void>;
  /** What must have happened before the history can be over. */
  readonly open: { producers: number; faults: number };
  /** Words for what was reached: states, answers, ends, faults. */
  readonly reached: Set<string>;
  /** Every task that was ever claimed. */
  readonly claimed: Set<string>;
  /** When the revocation of a lease was published, by jti. */
  readonly revokedAt: Map<string, number>;
}

/** Somebody puts a file there, and the checker knows its bytes. */
export function put({ disk, checker }: Pick<Parts, 'disk' | 'checker'>, path: string, data: string): void {
  if (disk.put(path, data) !== undefined) checker.contents.add(data);
}

/** The task in a job's data, whatever a stranger wrote into it. */
export function taskIdOf(data: unknown): string {
  const manifest: unknown = typeof data === 'object' && data !== null ? Reflect.get(data, 'manifest') : undefined;
  const id: unknown = typeof manifest === 'object' && manifest !== null ? Reflect.get(manifest, 'task_id') : undefined;
  return typeof id === 'string' ? id : '';
}
