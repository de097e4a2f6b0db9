import { settingValue, shownValue } from './describe.ts';
import { faultsOf, invalidConfig } from './issues.ts';
import { type Config, ConfigSchema } from './schema.ts';
import { type Setting, settingsByKey } from './settings.ts';

/** How a setting that was changed reaches a role that runs. */
export type Effect = 'reload' | 'restart';

/**
 * The settings that a reload takes up, by name or by section (`file.`); each other one needs a restart. A setting may stand
 * here only when every role that reads it asks its live settings each time.
 */
const RELOADED = [
  ...['log.level', 'file.', 'search.', 'lease.max_ttl_s', 'lease.default_ttl_s', 'lease.bundles', 'lease.clock_skew_s'],
  // Files beside the settings, as the roles name them.
  ...['registries', 'tool bindings'],
] as const;

/** Whether a change of this setting is taken up by `writ reload`, or needs a restart. */
export function effectOf(key: string): Effect {
  return RELOADED.some((one) => (one.endsWith('.') ? key.startsWith(one) : key === one)) ? 'reload' : 'restart';
}

/** One setting that differs, with both values as TOML; passwords are hidden. */
export interface Change {
  readonly key: string;
  readonly from: string;
  readonly to: string;
}

/** What a reload would make of the settings that were read. */
export interface Judgement {
  /** What the role shall run with: the reloadable settings as read, all others as they were. */
  readonly config: Config;
  readonly changed: readonly Change[];
  /** Settings that differ too, and that need a restart. */
  readonly restart: readonly string[];
}

/**
 * Tells what of the settings that were read can be taken up now.
 *
 * @throws WritError INVALID_CONFIG when the new values do not fit those that stay until a restart
 */
export function judgeReload(now: Config, read: Config): Judgement {
  const differing = [...settingsByKey().values()].filter((setting) => !same(now, read, setting));
  const changed = differing.filter(({ key }) => effectOf(key) === 'reload');
  const restart = differing.filter(({ key }) => effectOf(key) === 'restart').map(({ key }) => key);
  return {
    config: changed.length === 0 ? now : mixed(now, read, changed),
    changed: changed.map((setting) => ({ key: setting.key, from: shownValue(now, setting), to: shownValue(read, setting) })),
    restart,
  };
}

function same(one: Config, other: Config, setting: Setting): boolean {
  return JSON.stringify(settingValue(one, setting)) === JSON.stringify(settingValue(other, setting));
}

/** These settings as read, all others as now; checked as a file is, since some settings bound others. */
function mixed(now: Config, read: Config, taken: readonly Setting[]): Config {
  const values: Record<string, unknown> = structuredClone(now);
  for (const setting of taken) put(values, setting.key.split('.'), structuredClone(settingValue(read, setting)));
  const parsed = ConfigSchema.safeParse(values);
  // A section in which nothing changed stays the same object: its parts see at a glance that they are not meant.
  if (parsed.success)
    return { ...parsed.data, ...Object.fromEntries(Object.entries(now).filter(([name]) => !taken.some(({ key }) => key.startsWith(`${name}.`)))) };
  const faults = faultsOf(parsed.error.issues, values).map(({ key, message }) => ({
    key,
    message: `${message}; what it is compared with stays as it is until a restart`,
  }));
  throw invalidConfig(faults, new Map());
}

function put(values: Record<string, unknown>, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) values[name] = value;
  else put(values[name] as Record<string, unknown>, rest, value);
}
