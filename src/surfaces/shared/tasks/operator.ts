import type { Clock } from '../../../core/clock.ts';
import type { KernelDoor, SignatureReader, TaskDoor } from '../../../core/ports/index.ts';

/** What the operations of an operator work with, on every surface. Kernel and signatures are opened when they are needed. */
export interface OperatorDoors {
  readonly tasks: TaskDoor;
  /** Throws WritError KERNEL_UNAVAILABLE, here or when it is asked. */
  kernel(): Promise<KernelDoor>;
  signatures(): Promise<SignatureReader>;
  /** `board.regrant`. */
  readonly regrantByDefault: boolean;
  readonly clock: Clock;
}
