import { once } from 'node:events';
import { copyFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConnectionKind, connected, createConnection } from '../../../queues/connection.ts';
import { checkAccess } from '../../../src/adapters/redis/access.ts';
import type { RedisTlsFiles } from '../../../src/adapters/redis/tls.ts';
import { isWritError } from '../../../src/core/errors.ts';
import { deferred } from '../../conformance/deferred.ts';
import { createTestCa, type Pair, type TestCa } from '../../support/certificates.ts';
import { freePorts } from '../../support/ports.ts';
import { type RedisServer, startRedisServer } from '../../support/redis-server.ts';

/** Servers of the same CA; `strict` wants to know who calls. */
const NAMES = ['good', 'expired', 'strict'] as const;
type Name = (typeof NAMES)[number];

let ca: TestCa;
let otherCa: TestCa;
let client: Pair;
let stranger: Pair;
const servers: RedisServer[] = [];
const ports = new Map<Name, number>();

beforeAll(async () => {
  ca = createTestCa();
  otherCa = createTestCa('other');
  client = ca.issue('client', 'DNS:writ');
  stranger = otherCa.issue('stranger', 'DNS:writ');
  const good = ca.issue('good', 'DNS:redis.test,DNS:localhost');
  const expired = ca.issue('expired', 'DNS:redis.test,DNS:localhost', -1);
  const tls = (port: number, { cert, key }: Pair, clients: 'yes' | 'no') => [
    ...['port 0', `tls-port ${port}`, 'bind 127.0.0.1', `tls-cert-file ${cert}`, `tls-key-file ${key}`],
    ...[`tls-ca-cert-file ${ca.cert}`, `tls-auth-clients ${clients}`],
  ];
  const free = await freePorts(NAMES.length);
  for (const [at, name] of NAMES.entries()) ports.set(name, free[at] ?? 0);
  const port = (name: Name) => ports.get(name) ?? 0;
  const lines: Readonly<Record<Name, readonly string[]>> = {
    good: tls(port('good'), good, 'no'),
    expired: tls(port('expired'), expired, 'no'),
    strict: tls(port('strict'), good, 'yes'),
  };
  servers.push(...(await Promise.all(NAMES.map((name) => startRedisServer(lines[name])))));
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  for (const one of [ca, otherCa]) one[Symbol.dispose]();
});

const target = (name: Name, tls: RedisTlsFiles, host = 'localhost') => ({ url: `rediss://${host}:${ports.get(name)}`, tls });
const trusted = (): RedisTlsFiles => ({ caFile: ca.cert });
const known = (): RedisTlsFiles => ({ ...trusted(), certFile: client.cert, keyFile: client.key });

describe('Redis over TLS', () => {
  it.each(['worker', 'ledger', 'producer', 'subscriber'] as const)('carries connections of the kind %s', async (kind: ConnectionKind) => {
    const redis = await connected(createConnection(target('good', trusted()), kind));
    expect(await redis.ping()).toBe('PONG');
    redis.disconnect();
  });

  it('is told who calls, when it asks', async () => {
    const redis = await connected(createConnection(target('strict', known()), 'producer'));
    expect(await redis.ping()).toBe('PONG');
    redis.disconnect();
  });

  it('may be reached by an address, when the settings say which name the certificate must carry', async () => {
    await expect(checkAccess(target('good', { ...trusted(), serverName: 'redis.test' }, '127.0.0.1'))).resolves.toBeUndefined();
  });

  const refusals: readonly (readonly [string, Name, () => RedisTlsFiles, string, RegExp])[] = [
    ['a CA that is not known', 'good', () => ({ caFile: otherCa.cert }), 'localhost', /no CA that this side knows .*redis\.tls\.ca_file/],
    ['no CA of its own', 'good', () => ({}), 'localhost', /no CA that this side knows/],
    ['a certificate that has expired', 'expired', trusted, 'localhost', /has expired: renew it/],
    ['a certificate for another name', 'good', trusted, '127.0.0.1', /for another name: .*redis\.tls\.server_name/],
    ['a wrong name in the settings', 'good', () => ({ ...trusted(), serverName: 'other.test' }), 'localhost', /for another name/],
    ['no certificate of ours, which the server wants', 'strict', trusted, 'localhost', /does not accept the certificate of this side/],
    [
      'a certificate of ours from a CA that the server does not know',
      'strict',
      () => ({ ...trusted(), certFile: stranger.cert, keyFile: stranger.key }),
      'localhost',
      /does not accept the certificate/,
    ],
  ];

  it.each(refusals)('with %s is refused at the start of a role: REDIS_TLS, with what to do', async (_what, name, tls, host, sentence) => {
    await expect(checkAccess(target(name, tls(), host))).rejects.toMatchObject({ code: 'REDIS_TLS', message: expect.stringMatching(sentence) });
  });

  it.each(refusals)('with %s tells the log the same while a role runs', async (_what, name, tls, host, sentence) => {
    const told = deferred<Error>();
    // A reset of the connection can overtake the reason; the next try tells it.
    const redis = createConnection(target(name, tls(), host), 'producer', (error) => void (isWritError(error) && told.resolve(error)));
    expect(await told.promise).toMatchObject({ code: 'REDIS_TLS', message: expect.stringMatching(sentence) });
    redis.disconnect();
  });

  it('on a port that speaks something else says so', async () => {
    const other = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    await expect(checkAccess({ url: `rediss://127.0.0.1:${port}` })).rejects.toMatchObject({
      code: 'REDIS_TLS',
      message: expect.stringContaining('does not speak TLS'),
    });
    other.close();
  });

  it('refuses a wrong password at the start of a role', async () => {
    const { url, tls } = target('good', trusted());
    await expect(checkAccess({ url: url.replace('//', '//someone:wrong@'), tls })).rejects.toMatchObject({ code: 'REDIS_UNAVAILABLE', field: 'redis.url' });
  });

  it('is not asked to be there at the start: roles wait for a server', async () => {
    const [nobody = 0] = await freePorts(1);
    await expect(checkAccess({ url: `rediss://localhost:${nobody}`, tls: trusted() })).resolves.toBeUndefined();
  });

  it('takes a renewed CA file at the next connection, without a restart', async () => {
    const file = join(ca.directory, 'bundle.pem');
    copyFileSync(otherCa.cert, file);
    const told = deferred<Error>();
    const redis = createConnection(target('good', { caFile: file }), 'ledger', told.resolve);
    await told.promise;
    copyFileSync(ca.cert, file);
    expect(await (await connected(redis)).ping()).toBe('PONG');
    redis.disconnect();
  });

  it('is refused for files that cannot be used, naming the setting', () => {
    const missing = join(ca.directory, 'missing.pem');
    const words = join(ca.directory, 'words.pem');
    writeFileSync(words, 'no certificate\n');
    const open = (tls: RedisTlsFiles) => () => createConnection(target('good', tls), 'producer');
    expect(open({ caFile: missing })).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG', field: 'redis.tls.ca_file' }));
    expect(open({ certFile: words, keyFile: client.key })).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG', field: 'redis.tls.cert_file' }));
    expect(open({ certFile: client.cert, keyFile: stranger.key })).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }));
  });
});
