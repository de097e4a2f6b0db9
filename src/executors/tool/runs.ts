import type * as core from '../../core/runs.ts';

/** What closing the attempt of a call takes beside its outcome. */
export interface OpenedAttempt {
  readonly n: number;
  /** Whether its request was sent. */
  readonly sent: boolean;
}

export type Runs = core.Runs<OpenedAttempt>;
export type RunEnd = core.RunEnd<OpenedAttempt>;
