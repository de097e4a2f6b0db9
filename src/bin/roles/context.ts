import type { Config } from '../../../config/schema.ts';
import type { Logger } from '../../observability/logging.ts';
import type { Places } from '../places.ts';

/** What every role is started with. */
export interface RoleContext {
  readonly config: Config;
  readonly places: Places;
  readonly log: Logger;
  /** Arguments that make a child process read the same settings: `--data-dir`, `--config`, `--set`. */
  readonly settingsArgs: readonly string[];
}
