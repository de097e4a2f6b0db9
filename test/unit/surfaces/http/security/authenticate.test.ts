import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Fastify from 'fastify';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createApiKeyStore } from '../../../../../src/data-dir/api-keys.ts';
import type { Caller } from '../../../../../src/surfaces/http/caller.ts';
import { createAuthenticate } from '../../../../../src/surfaces/http/security/authenticate.ts';
import { createSessions } from '../../../../../src/surfaces/http/security/sessions.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'writ-sessions-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const clockOf = () => {
  let now = 1_000_000;
  const pass = (ms: number): void => {
    now += ms;
  };
  return { now: () => now, monotonic: () => now, pass };
};

function site() {
  const clock = clockOf();
  const apiKeys = createApiKeyStore({ file: path.join(directory, 'api-keys.json'), clock });
  const sessions = createSessions({ clock, lifeMs: 60_000_000 });
  const authenticate = createAuthenticate({ apiKeys, sessions });
  const app = Fastify();
  let caller: Caller | undefined;
  app.get('/', async (request) => {
    caller = (await authenticate(request)).caller;
    return { name: caller?.name ?? null };
  });
  return {
    clock,
    apiKeys,
    asks: async (cookie: string): Promise<unknown> => (await app.inject({ url: '/', headers: { cookie: `writ_session=${cookie}` } })).json(),
    async calls(secret: string): Promise<Caller | undefined> {
      await app.inject({ url: '/', headers: { authorization: `Bearer ${secret}` } });
      return caller;
    },
    async login(secret: string): Promise<string> {
      const key = await apiKeys.find(secret);
      if (key === undefined) throw new Error('the secret opens nothing');
      return sessions.open({ name: key.name, roles: key.roles, secretId: key.secretId });
    },
    create: (name: string) => apiKeys.create({ name, roles: ['read'] }),
    [Symbol.asyncDispose]: () => app.close(),
  };
}

it('lets the session of a key in that is younger than the last look at the keys, and ends it when the key is revoked', async () => {
  await using at = site();
  const [olga, rita] = [await at.create('olga'), await at.create('rita')];
  const cookie = await at.login(olga.secret);
  expect(await at.asks(cookie)).toEqual({ name: 'olga' });
  const younger = await at.login(rita.secret);
  expect(await at.asks(younger)).toEqual({ name: 'rita' });
  await at.apiKeys.revoke(olga.key.id);
  at.clock.pass(1_000);
  expect(await at.asks(cookie)).toEqual({ name: null });
  expect(await at.asks(younger)).toEqual({ name: 'rita' });
});

it('ends the session of a secret that was rotated without a grace, and no other', async () => {
  await using at = site();
  const [olga, rita] = [await at.create('olga'), await at.create('rita')];
  const [old, other] = [await at.login(olga.secret), await at.login(rita.secret)];
  const { secret } = await at.apiKeys.rotate(olga.key.id, 0);
  at.clock.pass(1_000);
  expect(await at.asks(old)).toEqual({ name: null });
  expect(await at.asks(await at.login(secret))).toEqual({ name: 'olga' });
  expect(await at.asks(other)).toEqual({ name: 'rita' });
});

it('ends the session of a secret that was rotated with a grace when that is over', async () => {
  await using at = site();
  const olga = await at.create('olga');
  const cookie = await at.login(olga.secret);
  await at.apiKeys.rotate(olga.key.id, 60);
  at.clock.pass(59_000);
  expect(await at.asks(cookie)).toEqual({ name: 'olga' });
  at.clock.pass(1_001);
  expect(await at.asks(cookie)).toEqual({ name: null });
});

it('tells a call that goes on whether its key or session is still good', async () => {
  await using at = site();
  const olga = await at.create('olga');
  const caller = await at.calls(olga.secret);
  expect(await caller?.lives?.()).toBe(true);
  await at.apiKeys.rotate(olga.key.id, 0);
  expect(await caller?.lives?.()).toBe(false);
});
