import type { Clock } from '../../../core/clock.ts';
import type { KernelClient, SignatureReader, TaskGateway } from '../../../core/ports/index.ts';

/** What the operations of an operator work with, on every surface. Kernel and signatures are opened when they are needed. */
export interface OperatorServices {
  readonly tasks: TaskGateway;
  /** Throws WritError KERNEL_UNAVAILABLE, here or when it is asked. */
  kernel(): Promise<KernelClient>;
  signatures(): Promise<SignatureReader>;
  /** `board.regrant`. */
  readonly regrantByDefault: boolean;
  readonly clock: Clock;
}
