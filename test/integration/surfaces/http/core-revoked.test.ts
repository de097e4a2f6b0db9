import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createApiKeyStore } from '../../../../src/data-dir/api-keys.ts';
import type { Answer } from '../../../../src/surfaces/http/route.ts';
import { route } from '../../../../src/surfaces/http/route.ts';
import { deferred } from '../../../conformance/deferred.ts';
import { type Site, startSite } from './core-site.ts';

/** A call that goes on until its signal ends it. */
const begun = { promise: Promise.resolve(), resolve: (): void => undefined };
const waits = route({
  method: 'GET',
  path: '/v1/waits',
  operation: 'waits',
  summary: 'Waits',
  tag: 'events',
  access: ['read'],
  responses: { 200: { description: 'It was ended.' } },
  problems: [],
  handle: ({ signal }): Promise<Answer> =>
    new Promise((resolve) => {
      begun.resolve();
      signal.addEventListener('abort', () => resolve({ status: 200, body: { ended: true } }), { once: true });
    }),
});

let directory: string;
let site: Site;
const keys = () => createApiKeyStore({ file: path.join(directory, 'api-keys.json') });
beforeEach(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'writ-revoked-'));
  Object.assign(begun, deferred());
  site = await startSite({ apiKeys: keys(), routes: [waits] });
});
afterEach(async () => {
  await site[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});

it.each([
  ['its key is revoked', 'key', 'revoke'],
  ['the secret of its key is rotated', 'key', 'rotate'],
  ['the key of its session is revoked', 'session', 'revoke'],
  ['the secret of its session is rotated', 'session', 'rotate'],
] as const)('a call that goes on ends when %s by another process, and its caller is nobody then', async (_name, as, how) => {
  const { key, secret } = await keys().create({ name: 'reader', roles: ['read'] });
  const headers: Record<string, string> = as === 'key' ? { authorization: `Bearer ${secret}` } : { cookie: await site.logIn(secret) };
  const answer = site.fetch('/v1/waits', { headers });
  await begun.promise;
  if (how === 'revoke') await keys().revoke(key.id);
  else await keys().rotate(key.id, 0);
  expect(await (await answer).json()).toEqual({ ended: true });
  expect((await site.fetch('/v1/waits', { headers })).status).toBe(401);
});
