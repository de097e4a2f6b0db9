import type { Bindings } from '../../src/core/ports/index.ts';
import type { SimProcess } from './scheduler.ts';
import type { Seams } from './seams.ts';
import type { Disk } from './twins/disk.ts';
import type { KernelTwin } from './twins/kernel.ts';
import type { RedisTwin } from './twins/redis.ts';
import type { Stores, StoreTwin } from './twins/stores.ts';
import type { ToolServer } from './twins/tools.ts';
import type { World } from './world.ts';

/** One machine: what its processes share, and what outlives them. */
export interface Host {
  readonly world: World;
  readonly redis: RedisTwin;
  readonly disk: Disk;
  readonly kernel: KernelTwin;
  readonly bindings: Bindings;
  readonly stores: { readonly [K in keyof Stores]: StoreTwin };
  readonly tools: ToolServer;
  readonly seams: Seams;
  /** Every worker process that was ever started. */
  readonly processes: SimProcess[];
  /** Lines of the host's copy of the revocation log. */
  readonly revocations: string[];
  /** Tasks that take their worker down. */
  readonly poison: ReadonlySet<string>;
  /** Tasks that crash in their worker, which lives on. */
  readonly crashing: ReadonlySet<string>;
  /** Tasks whose memory crashes when it is asked. */
  readonly unreadable: ReadonlySet<string>;
  readonly onCrash: (taskId: string) => void;
  /** An executor of the process has begun; so many of its tasks run now. */
  readonly onRunning: (process: string, running: number) => void;
  /** A state or a point of the protocol was reached. */
  readonly onReached: (word: string) => void;
  /** A delivery has ended; `told` is its code, message and error. */
  readonly onEnd: (jobId: string, end: string, told: string, process: SimProcess) => void;
  readonly onIntent: (taskId: string, process: SimProcess, exp: number, startedAt: number) => void;
}
