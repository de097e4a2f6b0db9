import type { Lifecycle } from '../../core/lifecycle.ts';
import type { ServedQueue } from './wire-pipeline.ts';

/** What serving one queue takes beside the queue. */
export interface WorkerSide extends ServedQueue {
  /** In the order of starting, before the queue is served. */
  readonly parts: readonly Lifecycle[];
}
