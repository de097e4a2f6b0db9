import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROLES, type Role } from '../../../src/contracts/index.ts';
import { createApiKeyStore } from '../../../src/data-dir/api-keys.ts';
import { createLoginLinks } from '../../../src/data-dir/login-links.ts';

let directory: string;
let file: string;
let now: number;
const clock = { now: () => now, monotonic: () => now };
const store = () => createApiKeyStore({ file, clock });
const refused = { code: 'INVALID_CONFIG' };
const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'writ-keys-'));
  file = path.join(directory, 'api-keys.json');
  now = Date.parse('2026-11-21T00:00:00Z');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe('API keys', () => {
  it('are found by their secret alone, of which only the hash is kept, in a file for the owner', async () => {
    const { key, secret } = await store().create({ name: 'billing', roles: ['submit', 'read'] });
    expect(secret).toMatch(new RegExp(`^writ_${key.id}_[A-Za-z0-9_-]{43}$`));
    expect(await store().find(secret)).toEqual({
      id: key.id,
      name: 'billing',
      roles: ['submit', 'read'],
      createdAt: '2026-11-21T00:00:00.000Z',
      secretId: hashOf(secret),
    });
    for (const other of ['', secret.slice(0, -1), `${secret}x`, `writ_${key.id}_${'A'.repeat(43)}`, createHash('sha256').update(secret).digest('hex')]) {
      expect([other, await store().find(other)]).toEqual([other, undefined]);
    }
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).not.toContain(secret.slice(-43));
    expect(readdirSync(directory).sort()).toEqual(['api-keys.json', 'api-keys.json.lock']);
  });

  it('expire', async () => {
    const keys = store();
    const { key, secret } = await keys.create({ name: 'short', roles: ['read'], ttlS: 60 });
    now += 59_999;
    expect(await keys.find(secret)).toMatchObject({ expiresAt: '2026-11-21T00:01:00.000Z' });
    now += 1;
    expect(await keys.find(secret)).toBeUndefined();
    expect(await keys.list()).toHaveLength(1);
    await expect(keys.rotate(key.id, 0)).rejects.toMatchObject({ code: 'WRONG_STATE' });
  });

  it('are rotated with a grace for the old secret, which a further rotation does not lengthen', async () => {
    const keys = store();
    const { key, secret } = await keys.create({ name: 'k', roles: ['read'] });
    const second = await keys.rotate(key.id, 10);
    expect(second.key).toEqual(key);
    expect(await keys.find(secret)).toEqual({ ...key, secretId: hashOf(secret) });
    const third = await keys.rotate(key.id, 1_000);
    now += 10_000;
    expect(await Promise.all([secret, second.secret, third.secret].map(async (one) => (await keys.find(one))?.id))).toEqual([undefined, key.id, key.id]);
    const last = await keys.rotate(key.id, 0);
    expect(await Promise.all([second.secret, third.secret, last.secret].map(async (one) => (await keys.find(one))?.id))).toEqual([
      undefined,
      undefined,
      key.id,
    ]);
    await expect(keys.rotate('0000000000000000', 0)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('that another process has just made are good at once', async () => {
    const keys = store();
    const { secret: first } = await keys.create({ name: 'first', roles: ['read'] });
    expect(await keys.find(first)).toBeDefined();
    const { secret } = await store().create({ name: 'second', roles: ['read'] });
    expect(await keys.find(secret)).toMatchObject({ name: 'second' });
  });

  it('are gone when revoked, for another process within a second', async () => {
    const [here, there] = [store(), store()];
    const { key, secret } = await here.create({ name: 'k', roles: ['read'] });
    expect(await there.find(secret)).toEqual({ ...key, secretId: hashOf(secret) });
    expect([await here.revoke(key.id), await here.revoke(key.id)]).toEqual([true, false]);
    expect(await here.find(secret)).toBeUndefined();
    now += 999;
    expect(await there.find(secret)).toEqual({ ...key, secretId: hashOf(secret) });
    now += 1;
    expect(await there.find(secret)).toBeUndefined();
  });

  it('have names of their own, known roles and bounded times', async () => {
    const keys = store();
    await keys.create({ name: 'k', roles: ['read'] });
    // What comes over a wire may say anything.
    const foreign = JSON.parse('["root"]') as Role[];
    const wishes = [
      ['name', { name: 'k', roles: ['read'] }],
      ['name', { name: 'two words', roles: ['read'] }],
      ['name', { name: '../x', roles: ['read'] }],
      ['name', { name: '', roles: ['read'] }],
      ['roles', { name: 'a', roles: [] }],
      ['roles', { name: 'a', roles: ['read', 'read'] }],
      ['roles', { name: 'a', roles: foreign }],
      ['ttl', { name: 'a', roles: ['read'], ttlS: 0 }],
      ['ttl', { name: 'a', roles: ['read'], ttlS: 1.5 }],
      ['ttl', { name: 'a', roles: ['read'], ttlS: 1e12 }],
    ] as const;
    for (const [field, wish] of wishes) {
      await expect(keys.create(wish), JSON.stringify(wish)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', field });
    }
    expect(await keys.list()).toHaveLength(1);
  });

  it('survive many writers at once', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, (_, at) => store().create({ name: `k${at}`, roles: ['read'] })));
    await Promise.all(made.slice(0, 10).map(({ key }, at) => (at % 2 === 0 ? store().revoke(key.id) : store().rotate(key.id, 0))));
    expect((await store().list()).map(({ name }) => name).sort()).toEqual([1, 3, 5, 7, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19].map((at) => `k${at}`).sort());
  });

  it('are what a model says, whatever is done to them', async () => {
    const step = fc.oneof(
      fc.record({
        kind: fc.constant('create' as const),
        name: fc.constantFrom('a', 'b', 'c'),
        roles: fc.uniqueArray(fc.constantFrom(...ROLES), { minLength: 1 }),
        ttlS: fc.option(fc.integer({ min: 1, max: 100 }), { nil: undefined }),
      }),
      fc.record({ kind: fc.constant('rotate' as const), which: fc.nat(), graceS: fc.nat({ max: 50 }) }),
      fc.record({ kind: fc.constant('revoke' as const), which: fc.nat() }),
      fc.record({ kind: fc.constant('wait' as const), s: fc.integer({ min: 1, max: 60 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        rmSync(file, { force: true });
        const keys = store();
        const alive = new Map<string, { name: string; until: number; secrets: Map<string, number> }>();
        const all: string[] = [];
        const pick = (which: number): string => [...alive.keys()][which % Math.max(1, alive.size)] ?? '0000000000000000';
        for (const one of steps) {
          if (one.kind === 'wait') now += one.s * 1000;
          else if (one.kind === 'create') {
            const { kind: _kind, ttlS, ...wish } = one;
            const made = await keys.create({ ...wish, ...(ttlS === undefined ? {} : { ttlS }) }).catch(() => undefined);
            expect(made === undefined).toBe([...alive.values()].some(({ name }) => name === one.name));
            if (!made) continue;
            alive.set(made.key.id, {
              name: one.name,
              until: ttlS === undefined ? Number.POSITIVE_INFINITY : now + ttlS * 1000,
              secrets: new Map([[made.secret, Number.POSITIVE_INFINITY]]),
            });
            all.push(made.secret);
          } else if (one.kind === 'revoke') {
            const id = pick(one.which);
            expect(await keys.revoke(id)).toBe(alive.delete(id));
          } else {
            const known = alive.get(pick(one.which));
            const made = await keys.rotate(pick(one.which), one.graceS).catch(() => undefined);
            expect(made === undefined).toBe(!known || known.until <= now);
            if (!made || !known) continue;
            for (const [old, until] of known.secrets) known.secrets.set(old, Math.min(until, now + one.graceS * 1000));
            known.secrets.set(made.secret, Number.POSITIVE_INFINITY);
            all.push(made.secret);
          }
          for (const secret of all) {
            const owner = [...alive].find(([, { until, secrets }]) => until > now && (secrets.get(secret) ?? 0) > now);
            expect((await keys.find(secret))?.id).toBe(owner?.[0]);
          }
        }
      }),
      { numRuns: 25 },
    );
  });
});

describe('a file of API keys that is not ours alone, or damaged', () => {
  it('is refused, naming the place', async () => {
    const { secret } = await store().create({ name: 'k', roles: ['read'] });
    const good = readFileSync(file, 'utf8');
    const key = JSON.parse(good).keys[0] as Record<string, unknown>;
    const other = { ...key, id: 'f'.repeat(16), name: 'l', secrets: [{ sha256: '0'.repeat(64) }] };
    const keys = (...list: unknown[]): string => JSON.stringify({ v: 1, keys: list });
    for (const [text, where] of [
      ['', 'damaged'],
      [good.slice(0, -5), 'damaged'],
      [keys({ ...key, roles: ['root'] }), 'keys.0.roles.0'],
      [keys({ ...key, roles: [] }), 'keys.0.roles'],
      [keys({ ...key, secrets: [{ sha256: 'x' }] }), 'keys.0.secrets.0.sha256'],
      [keys({ ...key, expires_at: 'tomorrow' }), 'keys.0.expires_at'],
      [keys({ ...key, admin: true }), 'keys.0'],
      [keys(key, { ...other, id: key['id'] }), 'twice'],
      [keys(key, { ...other, name: key['name'] }), 'twice'],
      [keys(key, { ...other, secrets: key['secrets'] }), 'twice'],
      [good.replace('"v": 1', '"v": 1, "v": 1'), 'twice'],
      [JSON.stringify({ v: 3, keys: [] }), 'at v'],
    ]) {
      writeFileSync(file, text as string);
      await expect(store().find(secret), text).rejects.toMatchObject({ ...refused, message: expect.stringContaining(where as string) });
      await expect(store().create({ name: 'n', roles: ['read'] })).rejects.toMatchObject(refused);
      expect(readFileSync(file, 'utf8')).toBe(text);
    }
    writeFileSync(file, good);
    chmodSync(file, 0o640);
    await expect(store().find(secret)).rejects.toMatchObject({ ...refused, message: expect.stringContaining('chmod 600') });
  });

  it('is refused when it is a link, a directory or far too large', async () => {
    const elsewhere = path.join(directory, 'elsewhere');
    writeFileSync(elsewhere, '{"v":1,"keys":[]}', { mode: 0o600 });
    symlinkSync(elsewhere, file);
    await expect(store().list()).rejects.toMatchObject(refused);
    rmSync(file);
    mkdirSync(file, { mode: 0o700 });
    await expect(store().list()).rejects.toMatchObject(refused);
    rmSync(file, { recursive: true });
    writeFileSync(file, Buffer.alloc(5 * 1024 * 1024, ' '), { mode: 0o600 });
    await expect(store().list()).rejects.toMatchObject({ ...refused, message: expect.stringContaining('larger') });
  });

  it('is seen by a running reader too, which works again when it is mended', async () => {
    const keys = store();
    const { key, secret } = await keys.create({ name: 'k', roles: ['read'] });
    const good = readFileSync(file);
    expect(await keys.find(secret)).toEqual({ ...key, secretId: hashOf(secret) });
    writeFileSync(file, '{');
    now += 1_000;
    await expect(keys.find(secret)).rejects.toMatchObject(refused);
    writeFileSync(file, good);
    now += 1_000;
    expect(await keys.find(secret)).toEqual({ ...key, secretId: hashOf(secret) });
  });
});

describe('login links', () => {
  const links = () => createLoginLinks({ directory: path.join(directory, 'links'), clock });
  const files = (): string[] => readdirSync(path.join(directory, 'links'));

  it('are redeemed once, by whom they were made for', async () => {
    const token = await links().create(['operate', 'read'], 300, 'ada');
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(files().join()).not.toContain(token);
    expect(statSync(path.join(directory, 'links')).mode & 0o777).toBe(0o700);
    expect(await links().redeem(token)).toEqual({ name: 'ada', roles: ['operate', 'read'] });
    expect(await links().redeem(token)).toBeUndefined();
    expect(files()).toEqual([]);
  });

  it('go to exactly one of many who try at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const token = await links().create(['read'], 300, 'ada');
      const answers = await Promise.all(Array.from({ length: 20 }, () => links().redeem(token)));
      expect(answers.filter((answer) => answer !== undefined)).toHaveLength(1);
    }
  });

  it('expire, and are cleared away', async () => {
    const token = await links().create(['read'], 10, 'ada');
    await links().create(['read'], 10, 'bob');
    now += 10_000;
    expect(await links().redeem(token)).toBeUndefined();
    await links().create(['read'], 10, 'eve');
    expect(files()).toHaveLength(1);
  });

  it('are nothing for strangers, damaged files and wrong wishes', async () => {
    for (const token of ['', 'x', '../../etc/passwd', 'A'.repeat(43), 'A'.repeat(100_000)]) expect(await links().redeem(token)).toBeUndefined();
    const token = await links().create(['read'], 10, 'ada');
    writeFileSync(path.join(directory, 'links', files()[0] ?? ''), '{"v":1,"name":"ada","roles":["root"]}');
    await expect(links().redeem(token)).rejects.toMatchObject(refused);
    expect(await links().redeem(token)).toBeUndefined();
    await expect(links().create([], 10, 'ada')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', field: 'roles' });
    await expect(links().create(['read'], 0, 'ada')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', field: 'ttl' });
    await expect(links().create(['read'], 10, '')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', field: 'name' });
  });
});
