import type { Clock } from '../../core/clock.ts';
import type { BoundTool, ToolJournal } from '../../core/ports/index.ts';
import type * as core from '../../core/runs.ts';

export interface ToolExecutorOptions {
  /** The tools that this executor may call, by ref: those of its queue's provider. */
  readonly tools: ReadonlyMap<string, BoundTool>;
  readonly journal: ToolJournal;
  readonly clock: Clock;
  /** Shared by executors that take each other's place; of its own unless given. */
  readonly runs?: Runs;
  /** Told when a `once` call passes a point; for tests, which then end the process. */
  readonly onPoint?: (point: CrashPoint, taskId: string) => void;
}

export interface ToolDeps extends ToolExecutorOptions {
  readonly runs: Runs;
}

/**
 * The crash points of a `once` call, in the order in which it passes them: its intent is on disk and nothing was sent;
 * the answer is there and nobody was told; the signed result is there and not in the journal.
 */
export const CRASH_POINTS = ['intent', 'answered', 'before-close'] as const;

export type CrashPoint = (typeof CRASH_POINTS)[number];

/** What closing the attempt of a call takes beside its outcome. */
export interface OpenedAttempt {
  readonly n: number;
  /** Whether its request was sent. */
  readonly sent: boolean;
}

export type Runs = core.Runs<OpenedAttempt>;
export type RunEnd = core.RunEnd<OpenedAttempt>;
