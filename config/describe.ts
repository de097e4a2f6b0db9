import type { LoadedConfig } from './load.ts';
import { type Setting, settingsByKey } from './settings.ts';

/** One line of `writ doctor`. */
export interface DescribedSetting {
  readonly key: string;
  /** As it would be written in TOML; passwords are hidden. */
  readonly value: string;
  /** `default`, a file and line, an environment variable or a flag. */
  readonly source: string;
  readonly description: string;
}

/** Every setting with its value and where it came from, in the order of the shipped file. */
export function describeConfig({ config, sources }: LoadedConfig): DescribedSetting[] {
  return [...settingsByKey().values()].map((setting) => ({
    key: setting.key,
    value: shownValue(config, setting),
    source: sources.get(setting.key)?.place ?? 'default',
    description: setting.description,
  }));
}

/** The value of a setting as `writ doctor` shows it. */
export function shownValue(config: object, setting: Setting): string {
  return hidePassword(tomlValue(settingValue(config, setting)));
}

/** A value in TOML; JSON text is TOML for everything that a setting can be, except a table. */
export function tomlValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, inner]) => `${key} = ${tomlValue(inner)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}

/** The value of a setting. */
export function settingValue(config: object, { key }: Pick<Setting, 'key'>): unknown {
  return key.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], config);
}

function hidePassword(text: string): string {
  return text.replace(/(\w+:\/\/[^\s:@/]*:)[^\s@/]*@/g, '$1***@');
}
