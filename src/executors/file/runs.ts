import type { FileIdentity } from '../../core/ports/index.ts';
import type * as core from '../../core/runs.ts';

/** What closing the attempt of a run takes beside its outcome. */
export interface OpenedAttempt {
  readonly n: number;
  /** The file under the destination's name; undefined for a FAILURE. */
  readonly identity: FileIdentity | undefined;
  /** A FAILURE whose effect may have happened. */
  readonly doubtful: boolean;
}

export type Runs = core.Runs<OpenedAttempt>;
export type RunEnd = core.RunEnd<OpenedAttempt>;
export type Unconcluded = core.Unconcluded<OpenedAttempt>;
