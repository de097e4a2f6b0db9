import { type LoadedConfig, loadConfig } from '../../../config/load.ts';
import type { GlobalOptions } from '../../producers/cli/services.ts';
import { type Places, placesOf } from '../places.ts';

/** The settings of one command line, and where they lie. */
export interface CliSettings {
  readonly loaded: LoadedConfig;
  readonly places: Places;
}

/** Defaults < files < environment < `--set`. Throws WritError INVALID_CONFIG. */
export function readSettings({ dataDir, config, set }: GlobalOptions): CliSettings {
  const loaded = loadConfig({ flags: set, ...(dataDir === undefined ? {} : { dataDir }), ...(config === undefined ? {} : { configFile: config }) });
  return { loaded, places: placesOf(loaded.dataDir) };
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
