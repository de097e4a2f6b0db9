import { createHash } from 'node:crypto';
import { settingValue, tomlValue } from './describe.ts';
import type { Config } from './schema.ts';
import { settingsByKey } from './settings.ts';

/** Each setting by its dotted name, with a hash of its value: what tells values apart without telling them. */
export type Fingerprint = Readonly<Record<string, string>>;

export function fingerprintOf(config: Config): Fingerprint {
  return Object.fromEntries([...settingsByKey().values()].map((setting) => [setting.key, hashOf(tomlValue(settingValue(config, setting)))]));
}

/** The settings that differ, or that one side does not know, in their order; empty when both are the same. */
export function differences(one: Fingerprint, other: Fingerprint): string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((key) => one[key] !== other[key]);
}

function hashOf(value: string): string {
  return createHash('sha256').update(value).digest('hex').slice(0, 16);
}
