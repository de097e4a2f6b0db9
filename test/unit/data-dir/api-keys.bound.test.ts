import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROLES } from '../../../src/contracts/index.ts';
import { createApiKeyStore } from '../../../src/data-dir/api-keys.ts';

describe('API keys that are bound to an agent or to projects', () => {
  let directory: string;
  let file: string;
  const store = () => createApiKeyStore({ file });
  const version = (): unknown => (JSON.parse(readFileSync(file, 'utf8')) as { v: unknown }).v;

  beforeEach(() => {
    directory = mkdtempSync(path.join(tmpdir(), 'writ-bound-keys-'));
    file = path.join(directory, 'api-keys.json');
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it('say what they are bound to, also after a rotation', async () => {
    const grant = { agent: 'RedFox', projects: ['app', 'web'] };
    const { key, secret } = await store().create({ name: 'fox', roles: ['search'], grant: { ...grant, projects: ['app', 'web', 'app'] } });
    expect(await store().find(secret)).toMatchObject({ name: 'fox', grant });
    const { secret: next } = await store().rotate(key.id, 0);
    expect(await store().find(next)).toMatchObject({ grant });
    for (const half of [
      { agent: 'RedFox', projects: null },
      { agent: null, projects: ['app'] },
    ]) {
      expect((await store().create({ name: `half-${half.agent}`, roles: ['search', 'submit'], grant: half })).key.grant).toEqual(half);
    }
  });

  it('have no role that shows messages in another way, and are bound to something', async () => {
    const grant = { agent: 'RedFox', projects: null };
    for (const role of ROLES.filter((one) => one !== 'search' && one !== 'submit')) {
      await expect(store().create({ name: 'fox', roles: ['search', role], grant })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', field: 'roles' });
    }
    const wrong = [
      ['agent', { agent: null, projects: null }],
      ['agent', { agent: '', projects: null }],
      ['project', { agent: null, projects: [] }],
      ['project', { agent: 'RedFox', projects: ['x'.repeat(257)] }],
    ] as const;
    for (const [field, none] of wrong) {
      await expect(store().create({ name: 'fox', roles: ['search'], grant: none })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', field });
    }
    expect(await store().list()).toEqual([]);
  });

  it('make a file of version 2, which is one of version 1 again when the last of them is gone', async () => {
    const { secret } = await store().create({ name: 'plain', roles: ['read'] });
    expect(version()).toBe(1);
    const { key } = await store().create({ name: 'fox', roles: ['search'], grant: { agent: 'RedFox', projects: null } });
    expect(version()).toBe(2);
    expect(await store().find(secret)).toMatchObject({ name: 'plain' });
    await store().revoke(key.id);
    expect(version()).toBe(1);
    // A version that says nothing of bindings must not bind, nor open what they would close.
    await store().create({ name: 'fox', roles: ['search'], grant: { agent: 'RedFox', projects: null } });
    writeFileSync(file, readFileSync(file, 'utf8').replace('"v": 2', '"v": 1'));
    await expect(store().find(secret)).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
  });
});
