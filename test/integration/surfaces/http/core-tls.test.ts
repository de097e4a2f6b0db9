import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, type RequestOptions, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect as connectPlain } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CertificateFiles, createCertificateFiles } from '../../../../src/adapters/tls/certificate.ts';
import { visitBoard } from '../../../../src/surfaces/cli/tour/board.ts';
import { ROUTES } from '../../../../src/surfaces/http/routes/table.ts';
import { createTestCa, type Pair, type TestCa } from '../../../support/certificates.ts';
import { patient } from '../../../support/patience.ts';
import { type Site, startSite } from './core-site.ts';

const pem = (file: string): string => readFileSync(file, 'utf8');

/** On a busy machine. */

let ca: TestCa;
let first: Pair;
let second: Pair;
beforeAll(() => {
  ca = createTestCa();
  first = ca.issue('first', 'DNS:localhost,IP:127.0.0.1');
  second = ca.issue('second', 'DNS:localhost,IP:127.0.0.1');
});
afterAll(() => ca[Symbol.dispose]());

describe('the API over TLS', () => {
  let files: Pair;
  let certificate: CertificateFiles;
  let site: Site;
  const taken: string[] = [];
  const refused: unknown[] = [];
  beforeAll(async () => {
    files = { cert: join(ca.directory, 'api.pem'), key: join(ca.directory, 'api.key') };
    put(first);
    certificate = createCertificateFiles({
      certFile: files.cert,
      keyFile: files.key,
      lookEveryMs: 10,
      onTaken: (subject) => void taken.push(subject),
      onRefused: (error) => void refused.push(error),
    });
    site = await startSite({ routes: ROUTES, http: { certificate, requestTimeoutMs: patient(1_000) } });
  });
  beforeEach(() => {
    put(first);
    certificate.reload();
    refused.length = 0;
  });
  afterEach(() => certificate.stop());
  afterAll(() => site.server.stop());

  function put({ cert, key }: Pair): void {
    copyFileSync(key, files.key);
    copyFileSync(cert, files.cert);
  }

  async function ask(path: string, options: RequestOptions = {}, body?: string) {
    const asked = request(site.url + path, { ca: readCa(), agent: false, ...options });
    asked.end(body);
    const [answer] = await once(asked, 'response');
    return { status: answer.statusCode as number, headers: answer.headers, body: await text(answer) };
  }
  const readCa = () => [pem(ca.cert)];
  const port = () => (site.server.app.server.address() as AddressInfo).port;

  async function handshake(options: ConnectionOptions = {}): Promise<TLSSocket> {
    const socket = connect({ host: '127.0.0.1', port: port(), ca: readCa(), ...options });
    await once(socket, 'secureConnect');
    return socket;
  }

  /** The name in the certificate that a new connection is shown. */
  async function shown(): Promise<string> {
    const socket = await handshake();
    const { subject } = socket.getPeerCertificate();
    socket.destroy();
    return String(subject.CN);
  }

  it('answers on an https:// address, with the same roles as without', async () => {
    expect(site.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect((await ask('/healthz')).status).toBe(200);
    expect((await ask('/v1/keys')).status).toBe(401);
    expect((await ask('/v1/keys', { headers: { authorization: `Bearer ${site.secrets.read}` } })).status).toBe(200);
  });

  it('gives a browser a Secure cookie that no plain connection will ever carry', async () => {
    const headers = { origin: site.url, 'content-type': 'application/x-www-form-urlencoded' };
    const { headers: answer } = await ask('/login', { method: 'POST', headers }, `key=${site.secrets.read}`);
    expect(answer['set-cookie']?.[0]).toMatch(/^__Host-writ_session=.*HttpOnly; SameSite=Strict; Secure$/);
  });

  it.each([
    ['TLSv1.2', 'TLSv1.2'],
    ['TLSv1.3', 'TLSv1.3'],
  ] as const)('speaks %s', async (version, is) => {
    const socket = await handshake({ minVersion: version, maxVersion: version });
    expect(socket.getProtocol()).toBe(is);
    socket.destroy();
  });

  it('speaks nothing older', async () => {
    const older = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' } as const;
    await expect(handshake(older)).rejects.toMatchObject({ code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION' });
  });

  it('answers nobody in the clear', async () => {
    const socket = connectPlain(port(), '127.0.0.1');
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(await text(socket).catch(() => '')).not.toContain('200');
  });

  it('ends a body that does not come, as without TLS', async () => {
    const socket = await handshake();
    socket.write(`POST /v1/tasks HTTP/1.1\r\nHost: 127.0.0.1:${port()}\r\nAuthorization: Bearer ${site.secrets.submit}\r\n`);
    socket.write('Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 .*REQUEST_TIMEOUT/s);
  });

  it('refuses what is no HTTP with a problem document', async () => {
    const socket = await handshake();
    socket.write('NO HTTP\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('shows a renewed certificate to new connections, and goes on with those that are there', async () => {
    await certificate.start();
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: readCa() });
    const stream = request(`${site.url}/v1/keys`, { agent, headers: { authorization: `Bearer ${site.secrets.read}` } }).end();
    const [before] = await once(stream, 'response');
    await text(before);
    expect(await shown()).toBe('first');

    put(second);
    await expect.poll(() => taken.at(-1)).toBe('CN=second');
    expect(await shown()).toBe('second');
    const again = request(`${site.url}/healthz`, { agent }).end();
    const [after] = await once(again, 'response');
    await text(after);
    expect(after.socket).toBe(before.socket);
    expect(again.reusedSocket).toBe(true);
    agent.destroy();
  });

  it('keeps the last good pair while a renewal is half done, and takes it when it is whole', async () => {
    await certificate.start();
    copyFileSync(second.cert, files.cert);
    await expect.poll(() => refused.length).toBeGreaterThan(0);
    expect(refused[0]).toMatchObject({ code: 'INVALID_CONFIG', field: 'http.tls.cert_file' });
    expect(await shown()).toBe('first');
    copyFileSync(second.key, files.key);
    await expect.poll(() => taken.at(-1)).toBe('CN=second');
    expect(await shown()).toBe('second');
  });

  it('goes on with the last good pair when the directory of the files is none any more, and takes up what comes back', async () => {
    const directory = join(ca.directory, 'renewed');
    const own = { certFile: join(directory, 'api.pem'), keyFile: join(directory, 'api.key') };
    const fill = ({ cert, key }: Pair): void => {
      mkdirSync(directory);
      copyFileSync(key, own.keyFile);
      copyFileSync(cert, own.certFile);
    };
    fill(first);
    let heard = (): void => undefined;
    const told = () =>
      new Promise<void>((resolve) => {
        heard = resolve;
      });
    const troubles: unknown[] = [];
    const follower = createCertificateFiles({
      ...own,
      lookEveryMs: 10,
      onTaken: () => heard(),
      onRefused: (error) => {
        troubles.push(error);
        heard();
      },
    });
    await follower.start();
    const before = follower.current();
    const gone = told();
    rmSync(directory, { recursive: true });
    // What is looked for below it is no missing file then, but an error of its own (ENOTDIR).
    writeFileSync(directory, 'a file');
    await gone;
    expect(troubles).toEqual([expect.objectContaining({ code: 'INVALID_CONFIG', field: 'http.tls.cert_file' })]);
    expect(follower.current()).toEqual(before);
    const back = told();
    rmSync(directory);
    fill(second);
    await back;
    await follower.stop();
    expect(follower.current().cert.toString()).toContain(pem(second.cert).trim().split('\n')[1]);
  });

  it('looks at once when it is told to (SIGHUP)', async () => {
    put(second);
    certificate.reload();
    expect(await shown()).toBe('second');
  });

  it('refuses to begin with files that are no pair', () => {
    const words = join(ca.directory, 'words.pem');
    writeFileSync(words, 'no certificate\n');
    const open = (pair: Pair) => () => createCertificateFiles({ certFile: pair.cert, keyFile: pair.key }).current();
    expect(open({ cert: first.cert, key: second.key })).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG', field: 'http.tls.cert_file' }));
    expect(open({ cert: words, key: first.key })).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }));
    expect(open({ cert: first.cert, key: join(ca.directory, 'none') })).toThrow(expect.objectContaining({ field: 'http.tls.key_file' }));
  });

  it("lets the tour's visitor in, who trusts this certificate whatever its name, and no other", async () => {
    const named = ca.issue('named', 'DNS:writ.example');
    put(named);
    certificate.reload();
    const own = pem(named.cert);
    await expect(visitBoard(site.url, site.secrets.operate, own)).resolves.toBeDefined();
    await expect(visitBoard(site.url, 'writ_00000000_wrong', own)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    await expect(visitBoard(site.url, site.secrets.operate, pem(first.cert))).rejects.toMatchObject({ code: 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY' });
  });
});
