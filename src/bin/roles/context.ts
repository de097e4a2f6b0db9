import type { Config } from '../../../config/schema.ts';
import type { PlanPoint } from '../../../processors/plan/points.ts';
import type { DataDirPaths } from '../../data-dir/paths.ts';
import type { CrashPoint as FilePoint } from '../../executors/file/index.ts';
import type { CrashPoint as ToolPoint } from '../../executors/tool/index.ts';
import type { Logger } from '../../observability/logging.ts';
import type { Reloadable } from '../../reload/role-reload.ts';
import type { GlobalOptions } from '../../surfaces/cli/services.ts';

/** What every role is started with. */
export interface RoleContext {
  readonly config: Config;
  readonly places: DataDirPaths;
  readonly log: Logger;
  /** Absent where nothing asks a role for other settings. */
  readonly reloadable?: Reloadable<Config> | undefined;
}

/** `writ up` starts other processes, which must read the same settings. */
export interface UpContext extends RoleContext {
  readonly options: GlobalOptions;
  /** `options` as arguments: `--data-dir`, `--config`, `--set`. */
  readonly settingsArgs: readonly string[];
}

/** What tests may change: each crash point that was passed is told, right after it, and chaos tests end the process in it. */
export interface TestHooks {
  /** Milliseconds after which a parked duplicate comes back by itself. */
  readonly parkMs?: number | undefined;
  /** Of the file executor. */
  readonly onPoint?: (point: FilePoint, taskId: string) => void;
  /** Of the tool executor. */
  readonly onToolPoint?: (point: ToolPoint, taskId: string) => void;
  /** Of a plan. */
  readonly onPlanPoint?: ((point: PlanPoint, planSha256: string) => void) | undefined;
}
