import { createHash } from 'node:crypto';
import { type Fingerprint, userMark } from '../src/core/fingerprint.ts';
import { settingValue, tomlValue } from './describe.ts';
import { settingKinds } from './kinds.ts';
import type { Config } from './schema.ts';

/** What `differences` compares: every setting by its dotted name. */
export function fingerprintOf(config: Config): Fingerprint {
  const values = Object.fromEntries([...settingKinds().keys()].map((key) => [key, hashOf(tomlValue(settingValue(config, { key })))]));
  return { ...values, 'redis.url': serverMark(config.redis.url) };
}

/** Where each role has a user of its own in Redis (deploy/redis/users.conf), it is the same server: server, user and all of it apart. */
function serverMark(text: string): string {
  if (!URL.canParse(text)) return hashOf(text);
  const url = new URL(text);
  const { username } = url;
  [url.username, url.password] = ['', ''];
  // Nobody is given a hash of the password alone.
  return userMark(hashOf(url.href), username === '' ? '' : hashOf(username), hashOf(text));
}

function hashOf(value: string): string {
  return createHash('sha256').update(value).digest('hex').slice(0, 16);
}
