import type { QueueAction, QueueSwitch } from '../../contracts/index.ts';
import type { QueueFigures } from './system-status.ts';

/** What operators do to a queue as a whole. Rejects with WritError REDIS_UNAVAILABLE. */
export interface QueueControl {
  /** Every queue of the pool, in a fixed order. */
  list(): Promise<readonly QueueFigures[]>;
  /** The names of those that are paused; cheap. */
  paused(): Promise<readonly string[]>;
  /** The queue of plans when it is paused and the plan itself waits in it; not of a plan that is parked, runs or has ended. */
  pausedAround(planId: string): Promise<string | undefined>;
  /**
   * `pause`: no worker takes another job; what runs goes on, pushes are taken. Stays until `resume`, over restarts. May be
   * repeated: what was so before stays so.
   *
   * @throws WritError NOT_FOUND for a queue that the pool does not have, with those that it has
   */
  set(queue: string, action: QueueAction): Promise<QueueSwitch>;
}
