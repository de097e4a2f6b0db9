import type { FileIdentity, FileIntent, RunContext } from '../../core/ports/index.ts';
import type * as core from '../../core/runs.ts';
import type { OpenBases } from './bases.ts';
import type { Descriptors } from './descriptors.ts';
import type { Attempt, WithdrawnCopy } from './effect.ts';
import type { FileExecutorOptions } from './options.ts';
import type { PathBase } from './paths.ts';

/** What all parts of one executor share. */
export interface FileDeps extends Omit<FileExecutorOptions, 'bases' | 'capabilities'> {
  readonly capabilities: ReadonlySet<string>;
  readonly pathBases: readonly PathBase[];
  readonly runs: Runs;
  /** The base directories of a run: the same at each call, and open until the run has ended. Throws WritError INTERNAL before `start`. */
  readonly bases: (run: Descriptors) => OpenBases;
}

const DEFAULT_UMASK = 0o022;

/** The attempt of one run, with what its effects need. */
export function attemptOf(deps: FileDeps, intent: FileIntent, n: number, context: RunContext, descriptors: Descriptors): Attempt {
  return {
    intent,
    n,
    bases: deps.bases(descriptors),
    journal: deps.journal,
    maxBytes: deps.limits.maxBytes,
    hashMaxBytes: deps.limits.hashMaxBytes,
    umask: deps.umask ?? DEFAULT_UMASK,
    signal: context.signal,
    pass: (point) => deps.onPoint?.(point, intent.taskId),
    descriptors,
  };
}

/** What closing the attempt of a run takes beside its outcome. */
export interface OpenedAttempt {
  readonly n: number;
  /** The file under the destination's name; undefined for a FAILURE. */
  readonly identity: FileIdentity | undefined;
  /** A FAILURE whose effect may have happened. */
  readonly doubtful: boolean;
  /** A copy that the attempt leaves in the vault. */
  readonly withdrawn?: WithdrawnCopy | undefined;
}

export type Runs = core.Runs<OpenedAttempt>;
export type RunEnd = core.RunEnd<OpenedAttempt>;
export type Unconcluded = core.Unconcluded<OpenedAttempt>;
