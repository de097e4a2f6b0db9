import type { Config } from '../../config/schema.ts';
import type { PlanPoint } from '../../processors/plan/points.ts';
import type { CrashPoint } from '../../src/executors/file/index.ts';
import type { CrashPoint as ToolPoint } from '../../src/executors/tool/index.ts';

/** What a chaos worker is started with; it lies as JSON in the file that its argument names. */
export interface WorkerSetup {
  readonly config: Config;
  readonly dataDir: string;
  /** Directory of armed plans, one file each, named by `planName`. */
  readonly armed: string;
  /** Where a plan goes when it strikes. */
  readonly fired: string;
  /** Takes `renameat2` away from the process, so that the executor must link and unlink. */
  readonly withoutRenameat2: boolean;
}

/** Points around the file effect, seen on the ledger's connection; with the executor's own they are all that a task passes. */
export const LEDGER_POINTS = ['fetched', 'claimed', 'closed', 'recorded'] as const;

/** Of a task, or of a plan (`plan-runs/`). */
export type Point = CrashPoint | (typeof LEDGER_POINTS)[number] | PlanPoint | ToolPoint;

/** What a worker does, synchronously, at the point for which a plan is armed. */
export type Deed =
  | { readonly do: 'kill' }
  /** Stops the whole process with SIGSTOP. */
  | { readonly do: 'stop' }
  /** Somebody else's rename, at the worst moment. */
  | { readonly do: 'rename'; readonly from: string; readonly to: string }
  | { readonly do: 'append'; readonly file: string; readonly text: string }
  /** Writes into a new file until its file system has no room left. */
  | { readonly do: 'fill'; readonly file: string };

/** Name of an armed plan; the id is that of the task, or the hash of the plan that passes the point. */
export function planName(taskId: string, point: Point): string {
  return `${taskId}@${point}`;
}

/** Name of a plan that struck, in the process `pid`. */
export function firedName(taskId: string, point: Point, pid: number): string {
  return `${planName(taskId, point)}@${pid}`;
}
