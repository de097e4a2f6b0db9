import { spawnSync } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { jwksFile, readPrivateKey, writeJwks, writePrivateKey } from '../../../src/data-dir/key-files.ts';
import { createKeyring, generateKey, type KeySource, publicJwk, signingKey, verifyKey } from '../../../src/lease/index.ts';
import { ed25519, testClock, vectorJwk } from '../../fixtures/authority/world.ts';
import { compiledTwin } from '../../support/compiled/script.ts';
import { PATIENCE_MS } from '../../support/patience.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'writ-keys-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

describe('private keys', () => {
  it('sign for the public part that belongs to them', async () => {
    const jwk = generateKey({ use: 'lease', capabilities: ['*'] });
    const key = signingKey(jwk);
    const message = Buffer.from('writ');
    expect(await ed25519.verify(message, await ed25519.sign(message, key.secretKey), verifyKey(publicJwk(jwk)).publicKey)).toBe(true);
    expect(Object.keys(publicJwk(jwk))).not.toContain('d');
  });

  it('take the name that they are given, else their thumbprint', () => {
    expect(generateKey({ use: 'lease', capabilities: [], kid: 'kernel-2026' }).kid).toBe('kernel-2026');
    expect(generateKey({ use: 'lease', capabilities: [] }).kid).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });

  it('are made by the thousand, and none of them hangs in a collection of memory', () => {
    const keys = compiledTwin(new URL('../../../src/lease/keys.ts', import.meta.url));
    const script = `
      const { generateKey } = await import(${JSON.stringify(keys)});
      for (let made = 0; made < 8000; made += 1) generateKey({ use: 'lease', capabilities: ['*'] });
    `;
    // With little room for what is young, so that memory is collected often. A process of its own: one that hangs this way holds its thread for ever. The time only ends such a one.
    const ended = spawnSync(process.execPath, ['--max-semi-space-size=1', '--input-type=module', '--eval', script], {
      timeout: PATIENCE_MS,
    });
    expect({ signal: ended.signal, status: ended.status }).toEqual({ signal: null, status: 0 });
  });

  it('are written once, for their owner only, and read back', async () => {
    const path = join(dir, 'kernel.jwk');
    const jwk = generateKey({ use: 'lease', capabilities: ['FILE_MOVE'] });
    await writePrivateKey(path, jwk);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readPrivateKey(path)).toEqual(signingKey(jwk));
    await expect(writePrivateKey(path, jwk)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  it('are refused when others can read the file, when it is missing and when it is no key', async () => {
    const path = join(dir, 'kernel.jwk');
    await expect(readPrivateKey(path)).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
    await writePrivateKey(path, generateKey({ use: 'lease', capabilities: [] }));
    await chmod(path, 0o640);
    await expect(readPrivateKey(path)).rejects.toThrow(/can be read by others/);
    await chmod(path, 0o600);
    await writeFile(path, '{"kty":"RSA"}');
    await expect(readPrivateKey(path)).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
  });

  it('are refused when the public part is not their own', () => {
    expect(() => signingKey({ ...vectorJwk(0, 'lease', 'k'), x: vectorJwk(1, 'lease', 'k').x })).toThrow(/not its own/);
  });
});

describe('a keyring', () => {
  const [a, b] = [publicJwk(vectorJwk(0, 'lease', 'a')), publicJwk(vectorJwk(1, 'lease', 'b', ['FILE_COPY']))];
  const executor = publicJwk(vectorJwk(2, 'result', 'executor'));

  /** A source that a test writes to and can break. */
  function source(): KeySource & { keys: object[]; version: number; broken: boolean; reads: number } {
    return {
      name: 'keys.jwks',
      keys: [a],
      version: 0,
      broken: false,
      reads: 0,
      async stamp() {
        if (this.broken) throw new Error('gone');
        return String(this.version);
      },
      async read() {
        this.reads += 1;
        return JSON.stringify({ keys: this.keys });
      },
    };
  }

  it('holds the keys of its use, each with its capabilities', async () => {
    const keys = source();
    keys.keys = [a, b, executor];
    const ring = createKeyring({ source: keys, use: 'lease', clock: testClock() });
    expect((await ring.all()).map(({ kid }) => kid)).toEqual(['a', 'b']);
    expect([...((await ring.find('b'))?.capabilities ?? [])]).toEqual(['FILE_COPY']);
    expect(await ring.find('executor')).toBeUndefined();
  });

  it('follows a change within two seconds: a new key counts, a removed one does not', async () => {
    const [keys, clock] = [source(), testClock()];
    const ring = createKeyring({ source: keys, use: 'lease', clock });
    expect(await ring.find('a')).toBeDefined();
    keys.keys = [b];
    keys.version = 1;
    clock.advance(2000);
    expect(await ring.find('a')).toBeUndefined();
    expect(await ring.find('b')).toBeDefined();
  });

  it('reads again within 60 s although nothing tells of a change', async () => {
    const [keys, clock] = [source(), testClock()];
    const ring = createKeyring({ source: keys, use: 'lease', clock });
    await ring.find('a');
    keys.keys = [b];
    clock.advance(57_999);
    expect(await ring.find('a')).toBeDefined();
    expect(keys.reads).toBe(1);
    clock.advance(2000);
    expect(await ring.find('a')).toBeUndefined();
  });

  it('serves the last keys while the source cannot be read, for less than 60 s, and then refuses to say anything', async () => {
    const [keys, clock] = [source(), testClock()];
    const ring = createKeyring({ source: keys, use: 'lease', clock });
    await ring.find('a');
    keys.broken = true;
    clock.advance(57_999);
    expect(await ring.find('a')).toBeDefined();
    clock.advance(2000);
    await expect(ring.find('a')).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    keys.broken = false;
    expect(await ring.find('a')).toBeDefined();
  });

  it('looks once for many callers', async () => {
    const keys = source();
    const ring = createKeyring({ source: keys, use: 'lease', clock: testClock() });
    await Promise.all(Array.from({ length: 50 }, () => ring.find('a')));
    expect(keys.reads).toBe(1);
  });

  it('follows a file that is replaced', async () => {
    const [path, clock] = [join(dir, 'kernel.jwks'), testClock()];
    await writeJwks(path, [a]);
    const ring = createKeyring({ source: jwksFile(path), use: 'lease', clock });
    expect(await ring.find('b')).toBeUndefined();
    await writeJwks(path, [a, b]);
    clock.advance(2000);
    expect(await ring.find('b')).toBeDefined();
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ keys: [a, b] });
  });

  it.each([
    ['a private key', { keys: [vectorJwk(0, 'lease', 'a')] }],
    ['a key without capabilities', { keys: [{ ...a, 'writ:capabilities': undefined }] }],
    ['a key without a use', { keys: [{ ...a, 'writ:use': undefined }] }],
    ['a key of another curve', { keys: [{ ...a, crv: 'X25519' }] }],
    ['a key of 31 bytes', { keys: [{ ...a, x: a.x.slice(0, 42) }] }],
    ['a key with stray bits', { keys: [{ ...a, x: `${a.x.slice(0, 42)}b` }] }],
    ['one name twice', { keys: [a, { ...b, kid: 'a' }] }],
    ['no list', { keys: a }],
    ['no keys', {}],
  ])('refuses a file with %s', async (_what, content) => {
    const path = join(dir, 'keys.jwks');
    await writeFile(path, JSON.stringify(content));
    const ring = createKeyring({ source: jwksFile(path), use: 'lease', clock: testClock() });
    await expect(ring.find('a')).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
  });

  it('ignores what other software writes into a key', async () => {
    const keys = source();
    keys.keys = [{ ...a, alg: 'EdDSA', use: 'sig', key_ops: ['verify'] }];
    expect(await createKeyring({ source: keys, use: 'lease', clock: testClock() }).find('a')).toBeDefined();
  });
});
