import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Fastify from 'fastify';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createApiKeyStore } from '../../../../../src/data-dir/api-keys.ts';
import { createAuthenticate } from '../../../../../src/surfaces/http/security/authenticate.ts';
import { createSessions } from '../../../../../src/surfaces/http/security/sessions.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'writ-sessions-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

it('lets the session of a key in that is younger than the last look at the keys, and ends it when the key is revoked', async () => {
  let now = 1_000_000;
  const clock = { now: () => now, monotonic: () => now };
  const apiKeys = createApiKeyStore({ file: path.join(directory, 'api-keys.json'), clock });
  const sessions = createSessions({ clock, lifeMs: 60_000 });
  const authenticate = createAuthenticate({ apiKeys, sessions, clock });
  const app = Fastify();
  app.get('/', async (request) => ({ name: (await authenticate(request)).caller?.name ?? null }));
  const asks = async (secret: string): Promise<unknown> => (await app.inject({ url: '/', headers: { cookie: `writ_session=${secret}` } })).json();
  const login = async (name: string) => {
    const { key } = await apiKeys.create({ name, roles: ['read'] });
    return { id: key.id, cookie: sessions.open({ name, roles: key.roles, keyId: key.id }) };
  };

  const olga = await login('olga');
  expect(await asks(olga.cookie)).toEqual({ name: 'olga' });
  const rita = await login('rita');
  expect(await asks(rita.cookie)).toEqual({ name: 'rita' });
  await apiKeys.revoke(olga.id);
  now += 1_000;
  expect(await asks(olga.cookie)).toEqual({ name: null });
  expect(await asks(rita.cookie)).toEqual({ name: 'rita' });
  await app.close();
});
