import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse } from 'smol-toml';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { renderOwnToml } from '../../../config/render.ts';
import { ConfigSchema } from '../../../config/schema.ts';
import { ROLES } from '../../../src/contracts/index.ts';
import { createApiKeyStore } from '../../../src/data-dir/api-keys.ts';
import { prepareFirstStart } from '../../../src/data-dir/first-start.ts';
import { createLoginLinks } from '../../../src/data-dir/login-links.ts';
import { dataDirPaths } from '../../../src/data-dir/paths.ts';
import { commandLine, lastJson, type Said } from '../../support/command-line.ts';

let home: string;
const places = () => dataDirPaths(path.join(home, 'data'));
const keys = () => createApiKeyStore({ file: places().apiKeys });

beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'writ-access-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** The command line with the services of production; neither Redis nor kernel run. */
async function writ(...args: string[]): Promise<Said & { readonly json: Record<string, unknown> }> {
  const said = await commandLine(['--data-dir', places().dataDir, ...args]);
  return { ...said, json: lastJson(said) };
}
const trail = () =>
  readFileSync(places().audit, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .map(({ action, subject, outcome }) => [action, subject, outcome]);

describe('writ key', () => {
  it('makes a key whose secret goes into a file for the owner, and never twice', async () => {
    const { code, json } = await writ('key', 'create', 'billing', '--roles', 'submit,read', '--ttl', '90d', '--json');
    expect({ code, json }).toMatchObject({ code: 0, json: { name: 'billing', roles: ['submit', 'read'], expires_at: expect.any(String) } });
    expect(json).not.toHaveProperty('secret');
    const file = String(json['file']);
    expect(file).toBe(path.join(places().dataDir, 'keys', 'billing.key'));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await keys().find(readFileSync(file, 'utf8').trim())).toMatchObject({ id: json['id'], name: 'billing' });
    expect(await writ('key', 'create', 'billing', '--roles', 'read')).toMatchObject({ code: 2, err: expect.stringContaining('--out') });
    expect(await writ('key', 'create', 'billing', '--roles', 'read', '--print')).toMatchObject({ code: 2, err: expect.stringContaining('billing already') });
    expect(trail()).toEqual([
      ['key.create', 'billing', 'asked'],
      ['key.create', 'billing', 'done'],
      ['key.create', 'billing', 'asked'],
      ['key.create', 'billing', 'refused'],
      ['key.create', 'billing', 'asked'],
      ['key.create', 'billing', 'refused'],
    ]);
  });

  it('prints a secret only when asked, and writes it where asked', async () => {
    const { out } = await writ('key', 'create', 'a', '--roles', 'read', '--print');
    const secret = /writ_\S+/.exec(out)?.[0] ?? '';
    expect(await keys().find(secret)).toMatchObject({ name: 'a' });
    expect(existsSync(path.join(places().dataDir, 'keys', 'a.key'))).toBe(false);
    const file = path.join(home, 'elsewhere');
    expect((await writ('key', 'create', 'b', '--roles', 'read', '--out', file)).out).not.toContain('writ_');
    expect(await keys().find(readFileSync(file, 'utf8').trim())).toMatchObject({ name: 'b' });
    expect(await writ('key', 'create', 'c', '--roles', 'read', '--out', file, '--print')).toMatchObject({ code: 2 });
    expect(await writ('key', 'create', 'c', '--roles', 'read', '--out', path.join(home, 'none', 'x'))).toMatchObject({ code: 2 });
    expect(await writ('key', 'create', 'c', '--roles', 'root')).toMatchObject({ code: 2, err: expect.stringContaining('submit, search') });
    expect(await writ('key', 'create', 'c')).toMatchObject({ code: 2 });
    expect((await keys().list()).map(({ name }) => name)).toEqual(['a', 'b']);
    expect(readFileSync(places().audit, 'utf8')).not.toContain(secret.slice(-43));
  });

  it('lists, rotates with a grace and revokes', async () => {
    expect(await writ('key', 'list')).toMatchObject({ code: 0, out: expect.stringContaining('no keys') });
    const { json } = await writ('key', 'create', 'k', '--roles', 'operate', '--json');
    const [id, file] = [String(json['id']), String(json['file'])];
    const old = readFileSync(file, 'utf8').trim();
    expect((await writ('key', 'rotate', id, '--grace', '1h', '--json')).json).toMatchObject({ id, grace_s: 3600, file });
    const fresh = readFileSync(file, 'utf8').trim();
    expect(fresh).not.toBe(old);
    for (const secret of [old, fresh]) expect(await keys().find(secret)).toMatchObject({ id });
    await writ('key', 'rotate', id, '--print');
    for (const secret of [old, fresh]) expect(await keys().find(secret)).toBeUndefined();
    expect((await writ('key', 'list', '--json')).json).toMatchObject({ keys: [{ id, name: 'k', roles: ['operate'] }] });
    expect((await writ('key', 'list')).out).toMatch(/never/);
    expect(await writ('key', 'revoke', id)).toMatchObject({ code: 0, out: 'revoked k\n' });
    expect(await writ('key', 'revoke', id)).toMatchObject({ code: 1, err: expect.stringContaining('NOT_FOUND') });
    expect(await writ('key', 'rotate', id)).toMatchObject({ code: 1 });
    expect(await keys().list()).toEqual([]);
  });

  it('makes a key anew over the file of a dead one, and over no other', async () => {
    const { json } = await writ('key', 'create', 'k', '--roles', 'read', '--json');
    const file = String(json['file']);
    const dead = readFileSync(file, 'utf8');
    await writ('key', 'revoke', String(json['id']));
    expect(await writ('key', 'create', 'k', '--roles', 'read')).toMatchObject({ code: 0 });
    expect(readFileSync(file, 'utf8')).not.toBe(dead);
    expect(await writ('key', 'create', 'k', '--roles', 'read')).toMatchObject({ code: 2, err: expect.stringContaining('is there already') });
    const other = path.join(home, 'other.key');
    for (const [place, text] of [
      [other, dead],
      [path.join(path.dirname(file), 'notes.key'), 'of somebody'],
    ] as const) {
      writeFileSync(place, text);
      expect(await writ('key', 'create', 'n', '--roles', 'read', '--out', place)).toMatchObject({ code: 2, err: expect.stringContaining('is there already') });
      expect(readFileSync(place, 'utf8')).toBe(text);
    }
  });

  it.each(['a/b', '../k', '.k', ''])('says the rule for a name that no key may have: %j', async (name) => {
    expect(await writ('key', 'create', name, '--roles', 'read')).toMatchObject({ code: 2, err: expect.stringContaining('name must be 1 to 64 of A-Z') });
  });

  it('does nothing when the audit log cannot be written', async () => {
    mkdirSync(places().audit, { recursive: true, mode: 0o700 });
    expect(await writ('key', 'create', 'k', '--roles', 'read')).toMatchObject({ code: 3, err: expect.stringContaining('STORAGE_UNAVAILABLE') });
    expect(await writ('login-link')).toMatchObject({ code: 3, out: '' });
    expect(await keys().list()).toEqual([]);
  });

  it('names a damaged file of keys', async () => {
    mkdirSync(path.dirname(places().apiKeys), { recursive: true, mode: 0o700 });
    writeFileSync(places().apiKeys, '{"v":1,"keys":[{}]}', { mode: 0o600 });
    expect(await writ('key', 'list')).toMatchObject({ code: 2, err: expect.stringContaining('keys.0.id') });
  });
});

describe('writ login-link', () => {
  it('prints a link that is good once', async () => {
    const { code, out, err } = await writ('login-link', '--ttl', '60', '--set', 'http.port=9999');
    expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining('operate, read') });
    expect(out).toMatch(/^http:\/\/127\.0\.0\.1:9999\/login\?token=[\w-]{43}\n$/);
    const links = createLoginLinks({ directory: places().loginLinks });
    const token = out.trim().split('=')[1] ?? '';
    expect(await links.redeem(token)).toMatchObject({ roles: ['operate', 'read'] });
    expect(await links.redeem(token)).toBeUndefined();
    expect(trail().map(([action, , outcome]) => [action, outcome])).toEqual([
      ['login-link.create', 'asked'],
      ['login-link.create', 'done'],
    ]);
    expect(readFileSync(places().audit, 'utf8')).not.toContain(token);
  });

  it('knows where the API is, or says why not', async () => {
    expect((await writ('login-link', '--json', '--set', 'http.host=::', '--set', 'http.allow_plain=true')).json).toMatchObject({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:8377\//),
    });
    expect((await writ('login-link', '--json', '--set', 'http.host=::1')).json).toMatchObject({ url: expect.stringMatching(/^http:\/\/\[::1\]:8377\//) });
    const tls = ['--set', 'http.tls.cert_file=/etc/c.pem', '--set', 'http.tls.key_file=/etc/c.key'];
    expect((await writ('login-link', '--json', ...tls)).json).toMatchObject({ url: expect.stringMatching(/^https:\/\/127\.0\.0\.1:8377\//) });
    expect(await writ('login-link', '--set', 'http.port=0')).toMatchObject({ code: 1, err: expect.stringContaining('http.port') });
  });

  it('names the address of the API that runs, whatever port the settings say', async () => {
    mkdirSync(places().dataDir, { recursive: true, mode: 0o700 });
    writeFileSync(places().apiUrl, 'http://127.0.0.1:40123\n');
    for (const port of ['0', '8377'])
      expect((await writ('login-link', '--json', '--set', `http.port=${port}`)).json).toMatchObject({
        url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:40123\/login/),
      });
    writeFileSync(places().apiUrl, 'cut of');
    expect((await writ('login-link', '--json')).json).toMatchObject({ url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:8377\//) });
  });
});

describe('writ audit', () => {
  it('verifies, lists, and finds what was changed', async () => {
    expect(await writ('audit', 'verify')).toMatchObject({ code: 0, out: expect.stringContaining('0 records') });
    await writ('key', 'create', 'a', '--roles', 'read');
    await writ('key', 'revoke', 'none');
    expect((await writ('audit', 'verify', '--json')).json).toMatchObject({ ok: true, records: 4, unchained: 0, head: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect((await writ('audit', 'list', '--action', 'key.revoke')).out).toMatch(/key\.revoke\s+refused NOT_FOUND\s+none\n2 records\n$/);
    expect((await writ('audit', 'list', '--action', 'key.', '--since', '1h', '--json')).json).toEqual({ summary: { records: 4 } });
    expect((await writ('audit', 'list', '--since', '2099-01-01T00:00:00Z', '--json')).json).toEqual({ summary: { records: 0 } });
    expect(await writ('audit', 'list', '--since', 'yesterday')).toMatchObject({ code: 2 });
    const { json } = await writ('audit', 'verify', '--json');
    const [records, head] = [String(json['records']), String(json['head'])];
    expect(await writ('audit', 'verify', '--after', `${records}:${head}`)).toMatchObject({ code: 0 });
    expect(await writ('audit', 'verify', '--after', `${records}:${'0'.repeat(64)}`)).toMatchObject({ code: 1 });
    expect(await writ('audit', 'verify', '--after', head)).toMatchObject({ code: 2 });
    writeFileSync(places().audit, readFileSync(places().audit, 'utf8').replace('"subject":"none"', '"subject":"some"'));
    expect(await writ('audit', 'verify')).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^BROKEN: audit\.ndjson, line 3 does not match its hash\n2 records before it are good\n$/),
    });
  });

  it('tells lines of an older version from the chain', async () => {
    mkdirSync(places().dataDir, { mode: 0o700 });
    writeFileSync(places().audit, '{"at":"2026-01-01T00:00:00.000Z","what":"vault.purge"}\n', { mode: 0o600 });
    expect(await writ('audit', 'verify')).toMatchObject({
      code: 0,
      out: expect.stringContaining('1 line of an older version before the chain: not protected'),
    });
    await writ('key', 'create', 'a', '--roles', 'read');
    expect(await writ('audit', 'verify')).toMatchObject({ code: 0, out: expect.stringContaining('covered by one hash') });
  });
});

describe('the first start', () => {
  it('allows file tasks in the workspace and searches of its file names, and only the first start does', async () => {
    await prepareFirstStart(places(), renderOwnToml());
    const { workspace, configFile } = places();
    const settings = ConfigSchema.parse(parse(readFileSync(configFile, 'utf8')));
    expect(settings.file.base_directories).toEqual({ workspace });
    expect(settings.search.scopes).toEqual({ workspace: { kind: 'files', path: workspace } });
    writeFileSync(configFile, '');
    await prepareFirstStart(places(), renderOwnToml());
    expect(readFileSync(configFile, 'utf8')).toBe('');
  });

  it('makes one operator key with all roles, audited, and never again', async () => {
    await prepareFirstStart(places(), renderOwnToml());
    const secret = readFileSync(places().operatorKey, 'utf8').trim();
    expect(statSync(places().operatorKey).mode & 0o777).toBe(0o600);
    expect(await keys().find(secret)).toMatchObject({ name: 'operator', roles: [...ROLES] });
    expect(trail()).toEqual([
      ['key.create', 'operator', 'asked'],
      ['key.create', 'operator', 'done'],
    ]);
    await prepareFirstStart(places(), renderOwnToml());
    expect(await keys().list()).toHaveLength(1);
    for (const { id } of await keys().list()) await keys().revoke(id);
    await prepareFirstStart(places(), renderOwnToml());
    expect(await keys().list()).toEqual([]);
  });
});
