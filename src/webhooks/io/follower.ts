import type { Clock } from '../../core/clock.ts';
import type { NewNotice } from '../../core/ports/index.ts';
import type { CollectDeps } from './collect-notices.ts';

/** What whoever follows ends and notes notices works with, be they ends of tasks or of plans. */
export interface FollowerDeps extends CollectDeps {
  readonly clock: Clock;
  /** What the ends are dated by, milliseconds since 1970. */
  readonly redisTime: () => Promise<number>;
  /** Told how many new notices there are. */
  readonly onNotices: (notices: readonly NewNotice[]) => void;
  /** Told how many texts had to go because there was no room. */
  readonly onDropped: (texts: number) => void;
  /** Told of troubles; the look goes on by itself. */
  readonly onTrouble: (error: unknown) => void;
  /** Milliseconds after a trouble; 1 s unless given. */
  readonly retryMs?: number;
}

/** Milliseconds after a trouble unless told otherwise. */
export const RETRY_MS = 1_000;
/** A look back begins so much earlier: clocks of Redis, workers and this host differ, and what was noted already is not noted again. */
export const SLACK_MS = 300_000;

/** Redis dates ends, and where it has no event of them a worker: what is looked for begins by whichever is behind (D332). */
export function earlier(redisTime: number, clock: Clock): number {
  return Math.min(redisTime, clock.now());
}
