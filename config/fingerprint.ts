import { createHash } from 'node:crypto';
import type { Fingerprint } from '../src/core/fingerprint.ts';
import { settingValue, tomlValue } from './describe.ts';
import { settingKinds } from './kinds.ts';
import type { Config } from './schema.ts';

/** What `differences` compares: every setting by its dotted name. */
export function fingerprintOf(config: Config): Fingerprint {
  return Object.fromEntries([...settingKinds().keys()].map((key) => [key, hashOf(tomlValue(settingValue(config, { key })))]));
}

function hashOf(value: string): string {
  return createHash('sha256').update(value).digest('hex').slice(0, 16);
}
