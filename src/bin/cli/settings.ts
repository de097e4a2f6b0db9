import path from 'node:path';
import { type LoadedConfig, loadConfig } from '../../../config/load.ts';
import { WritError } from '../../core/errors.ts';
import { type DataDirPaths, dataDirPaths } from '../../data-dir/paths.ts';
import type { GlobalOptions } from '../../surfaces/cli/services.ts';
import { shellWord } from '../../surfaces/cli/text/shell-word.ts';

/** The settings of one command line, and where they lie. */
export interface CliSettings {
  readonly loaded: LoadedConfig;
  readonly places: DataDirPaths;
}

/** Defaults < files < environment < `--set`. Throws WritError INVALID_CONFIG; INVALID_ARGUMENT for a password among the arguments. */
export function readSettings({ dataDir, config, set }: GlobalOptions): CliSettings {
  refusePassword(set['redis.url'] ?? '');
  const loaded = loadConfig({ flags: set, ...(dataDir === undefined ? {} : { dataDir }), ...(config === undefined ? {} : { configFile: config }) });
  return { loaded, places: dataDirPaths(loaded.dataDir) };
}

/** Every user of the host can read the arguments of every process. */
function refusePassword(url: string): void {
  if (!URL.canParse(url) || new URL(url).password === '') return;
  throw new WritError('INVALID_ARGUMENT', 'a password does not belong on the command line: put redis.url into writ.toml or into WRIT_REDIS__URL', {
    field: '--set',
  });
}

/** Arguments that make a child process read the same settings. */
export function settingsArgs({ config, set }: GlobalOptions, { loaded }: CliSettings): string[] {
  return [
    '--data-dir',
    loaded.dataDir,
    ...(config === undefined ? [] : ['--config', config]),
    ...Object.entries(set).flatMap(([key, value]) => ['--set', `${key}=${value}`]),
  ];
}

/** How a person calls the program so that it reads the same settings, in whatever terminal: `npx writ --data-dir /srv/writ`. */
export function programWords(options: GlobalOptions, { loaded }: CliSettings): string {
  const place = loaded.isUsualPlace ? [] : ['--data-dir', loaded.dataDir];
  const file = options.config === undefined ? [] : ['--config', path.resolve(options.config)];
  const sets = Object.entries(options.set).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
  return ['npx', 'writ', ...place, ...file, ...sets].map(shellWord).join(' ');
}
