import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { withFileLock } from '../adapters/files/file-lock.ts';
import { replaceFileDurably } from '../adapters/files/replace-file.ts';
import type { Role } from '../contracts/index.ts';
import { type Clock, systemClock } from '../core/clock.ts';
import { isWritError, messageOf, WritError } from '../core/errors.ts';
import type { ApiKey, ApiKeyStore } from '../core/ports/api-keys.ts';
import type { SearchGrant } from '../core/ports/message-search.ts';
import {
  BoundAgent,
  BoundProjects,
  blotOut,
  KeyName,
  KeyRoles,
  type LoadedKeys,
  loadKeys,
  MAX_KEYS,
  openKeys,
  type StoredKey,
  stampOf,
  textOf,
} from './api-keys-file.ts';

/** How long a change of the file by another process may stay unseen. */
const LOOK_MS = 1_000;
const MAX_LIFE_S = 10 * 365 * 86_400;
const MAX_GRACE_S = 30 * 86_400;
/** Old secrets in their grace; further rotations push the oldest out. */
const MAX_SECRETS = 16;

/**
 * The API keys of a data directory, in one file (0600) that is replaced as a whole. A secret is `writ_<id>_<43 base64url
 * characters>`; the file holds its SHA-256, which is enough for 256 random bits. Several processes may change and read it:
 * writers take turns by `<file>.lock`, readers look whether the file is another one once a second and for every unknown secret.
 *
 * Every method throws WritError INVALID_CONFIG when the file is damaged or open to others, STORAGE_UNAVAILABLE when it
 * cannot be written.
 */
export function createApiKeyStore({ file, clock = systemClock }: { readonly file: string; readonly clock?: Clock }): ApiKeyStore {
  let known: (LoadedKeys & { readonly at: number }) | undefined;
  let looking: Promise<LoadedKeys> | undefined;
  /** Counts our own changes: what was read before one must not be remembered after it. */
  let changes = 0;

  const look = async (): Promise<LoadedKeys> => {
    if (known && clock.monotonic() - known.at < LOOK_MS) return known;
    looking ??= refresh().finally(() => {
      looking = undefined;
    });
    return looking;
  };
  const refresh = async (): Promise<LoadedKeys> => {
    const [at, before] = [clock.monotonic(), changes];
    const loaded = known && known.stamp === (await currentStamp(file)) ? known : await loadKeys(file);
    if (changes !== before) return refresh();
    known = { keys: loaded.keys, stamp: loaded.stamp, at };
    return known;
  };
  const change = async <T>(edit: (keys: readonly StoredKey[]) => { keys: readonly StoredKey[]; answer: T }): Promise<T> => {
    try {
      return await withFileLock(file, async () => {
        const { keys, answer } = edit((await loadKeys(file)).keys);
        await replaceFileDurably(file, textOf(keys));
        return answer;
      });
    } catch (error) {
      if (isWritError(error)) throw error;
      throw new WritError('STORAGE_UNAVAILABLE', `the file of API keys ${file} cannot be written: ${messageOf(error)}`, { cause: error });
    } finally {
      changes += 1;
      known = undefined;
    }
  };

  const blotted = async (id: string, cause: WritError): Promise<boolean> => {
    try {
      return await withFileLock(file, () => blotOut(file, id));
    } catch (error) {
      throw isWritError(error) ? error : cause;
    } finally {
      changes += 1;
      known = undefined;
    }
  };

  return {
    async find(secret) {
      // A secret that is not known may be a key that another process has just made: it is worth a look at the file.
      const key = matching((await look()).keys, secret, clock.now()) ?? matching((await refresh()).keys, secret, clock.now());
      return key && { ...keyOf(key), secretId: hashOf(secret).toString('hex') };
    },
    async secrets(fresh = false) {
      const { keys } = await (fresh ? refresh() : look());
      const now = clock.now();
      const living = keys.filter(({ expires_at }) => isGood(expires_at, now));
      return new Set(living.flatMap(({ secrets }) => secrets.filter(({ until }) => isGood(until, now)).map(({ sha256 }) => sha256)));
    },
    // A person asks, who may have changed something a moment ago elsewhere.
    list: async () => (await loadKeys(file)).keys.map(keyOf),
    create: async (wish) => {
      const name = checkedKeyName(wish.name);
      const roles = checked(KeyRoles.safeParse(wish.roles), 'roles');
      const grant = wish.grant === undefined ? {} : boundTo(wish.grant, roles);
      const ttlS = wish.ttlS === undefined ? undefined : seconds(wish.ttlS, 1, MAX_LIFE_S, 'ttl');
      return change((keys) => {
        const named = keys.find((key) => key.name === name);
        if (named !== undefined) throw new WritError('INVALID_ARGUMENT', alreadyNamed(named), { field: 'name' });
        if (keys.length >= MAX_KEYS) throw new WritError('WRONG_STATE', `there are ${MAX_KEYS} keys already: revoke some`);
        const now = clock.now();
        const id = randomBytes(8).toString('hex');
        const secret = newSecret(id);
        const key: StoredKey = {
          id,
          name,
          roles,
          ...grant,
          created_at: timeOf(now),
          ...(ttlS === undefined ? {} : { expires_at: timeOf(now + ttlS * 1000) }),
          secrets: [{ sha256: hashOf(secret).toString('hex') }],
        };
        return { keys: [...keys, key], answer: { key: keyOf(key), secret } };
      });
    },
    rotate: async (id, graceS) => {
      const graceMs = seconds(graceS, 0, MAX_GRACE_S, 'grace') * 1000;
      return change((keys) => {
        const now = clock.now();
        const old = keys.find((key) => key.id === id);
        if (!old) throw new WritError('NOT_FOUND', `there is no key ${id}`);
        if (!isGood(old.expires_at, now)) throw new WritError('WRONG_STATE', `the key ${old.name} has expired: revoke it and create another`);
        const secret = newSecret(id);
        const fresh: StoredKey = { ...old, secrets: [{ sha256: hashOf(secret).toString('hex') }, ...inGrace(old, now, graceMs)].slice(0, MAX_SECRETS) };
        return { keys: keys.map((key) => (key.id === id ? fresh : key)), answer: { key: keyOf(fresh), secret } };
      });
    },
    async revoke(id) {
      try {
        return await change((keys) => {
          const left = keys.filter((key) => key.id !== id);
          return { keys: left, answer: left.length < keys.length };
        });
      } catch (error) {
        // Taking a key away must not wait for room on the disk.
        if (!isWritError(error) || error.code !== 'STORAGE_UNAVAILABLE') throw error;
        return blotted(id, error);
      }
    },
  };
}

/** Compares with every stored hash, so that the time tells nothing about which one it was. */
function matching(keys: readonly StoredKey[], secret: string, now: number): StoredKey | undefined {
  const presented = hashOf(secret);
  let found: StoredKey | undefined;
  for (const key of keys) {
    for (const { sha256, until } of key.secrets) {
      const same = timingSafeEqual(presented, Buffer.from(sha256, 'hex'));
      if (same && isGood(until, now) && isGood(key.expires_at, now)) found = key;
    }
  }
  return found;
}

/** Old secrets that stay good for a while; one that is in its grace already gets no more of it. */
function inGrace({ secrets }: StoredKey, now: number, graceMs: number): StoredKey['secrets'] {
  if (graceMs === 0) return [];
  const end = timeOf(now + graceMs);
  return secrets.filter(({ until }) => isGood(until, now)).map(({ sha256, until }) => ({ sha256, until: until !== undefined && until < end ? until : end }));
}

function isGood(until: string | undefined, now: number): boolean {
  return until === undefined || Date.parse(until) > now;
}

function newSecret(id: string): string {
  return `writ_${id}_${randomBytes(32).toString('base64url')}`;
}

function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

function alreadyNamed({ id, name }: StoredKey): string {
  return `there is a key named ${name} already: \`writ key rotate ${id}\` gives it a new secret, \`writ key revoke ${id}\` takes it away`;
}

function keyOf({ id, name, roles, created_at, expires_at, agent, projects }: StoredKey): ApiKey {
  return {
    ...{ id, name, roles, createdAt: created_at },
    ...(expires_at === undefined ? {} : { expiresAt: expires_at }),
    ...(agent === undefined && projects === undefined ? {} : { grant: { agent: agent ?? null, projects: projects ?? null } }),
  };
}

/** Roles whose routes show nothing of messages but by searching them. */
const BOUND_ROLES: ReadonlySet<Role> = new Set<Role>(['search', 'submit']);

/** @throws WritError INVALID_ARGUMENT for a grant of nothing, and for roles that would show what the grant hides */
function boundTo({ agent, projects }: SearchGrant, roles: readonly Role[]): Pick<StoredKey, 'agent' | 'projects'> {
  const strange = roles.find((role) => !BOUND_ROLES.has(role));
  if (strange !== undefined) {
    throw new WritError('INVALID_ARGUMENT', `a key that is bound to an agent or to projects may have the roles search and submit, not ${strange}`, {
      field: 'roles',
    });
  }
  if (agent === null && projects === null) throw new WritError('INVALID_ARGUMENT', 'a bound key names an agent or projects', { field: 'agent' });
  return {
    ...(agent !== null && { agent: checked(BoundAgent.safeParse(agent), 'agent') }),
    ...(projects !== null && { projects: [...new Set(checked(BoundProjects.safeParse(projects), 'project'))] }),
  };
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

async function currentStamp(file: string): Promise<string> {
  const handle = await openKeys(file);
  if (!handle) return 'none';
  try {
    return await stampOf(handle);
  } finally {
    await handle.close();
  }
}

function seconds(value: number, min: number, max: number, field: string): number {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
  throw new WritError('INVALID_ARGUMENT', `${field} must be a whole number of seconds from ${min} to ${max}`, { field });
}

/** A name that a key may have. Throws WritError INVALID_ARGUMENT (`name`) with the rule. */
export function checkedKeyName(name: string): string {
  return checked(KeyName.safeParse(name), 'name');
}

/** Whether a text looks like a secret of ours, good or not. */
export function isSecret(text: string): boolean {
  return /^writ_[0-9a-f]{16}_[A-Za-z0-9_-]{43}$/.test(text);
}

function checked<T>(parsed: { success: true; data: T } | { success: false; error: { issues: readonly { message: string }[] } }, field: string): T {
  if (parsed.success) return parsed.data;
  throw new WritError('INVALID_ARGUMENT', `${field} ${parsed.error.issues[0]?.message ?? 'is wrong'}`, { field });
}
