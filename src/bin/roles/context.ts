import type { Config } from '../../../config/schema.ts';
import type { DataDirPaths } from '../../data-dir/paths.ts';
import type { Logger } from '../../observability/logging.ts';
import type { GlobalOptions } from '../../surfaces/cli/services.ts';

/** What every role is started with. */
export interface RoleContext {
  readonly config: Config;
  readonly places: DataDirPaths;
  readonly log: Logger;
}

/** `writ up` starts other processes, which must read the same settings. */
export interface UpContext extends RoleContext {
  readonly options: GlobalOptions;
  /** `options` as arguments: `--data-dir`, `--config`, `--set`. */
  readonly settingsArgs: readonly string[];
}
