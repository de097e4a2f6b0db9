import type { Clock } from '../../core/clock.ts';
import type { BoundTool, ToolJournal } from '../../core/ports/index.ts';
import type { CrashPoint } from './points.ts';
import type { Runs } from './runs.ts';

export interface ToolExecutorOptions {
  /** The tools that this executor may call, by ref: those of its queue's provider. */
  readonly tools: ReadonlyMap<string, BoundTool>;
  readonly journal: ToolJournal;
  readonly clock: Clock;
  /** Told when a `once` call passes a point; for tests, which then end the process. */
  readonly onPoint?: (point: CrashPoint, taskId: string) => void;
}

export interface ToolDeps extends ToolExecutorOptions {
  readonly runs: Runs;
}
