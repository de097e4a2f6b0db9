import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http, { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A request as the server saw it. */
export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface ToolServer extends AsyncDisposable {
  readonly port: number;
  /** Every request, whatever its Idempotency-Key: this server does not look at it. */
  readonly seen: Seen[];
  readonly connections: number;
}

/** What the server answers; the body has been read. */
export type Behaviour = (request: Seen, response: ServerResponse, socket: Socket) => void;

/** A real HTTP server on a port of its own of 127.0.0.1. `tls`: key and certificate. */
export async function toolServer(behaviour: Behaviour, options: { tls?: { key: string; cert: string }; host?: string } = {}): Promise<ToolServer> {
  const seen: Seen[] = [];
  let connections = 0;
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const one = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString('utf8') };
      seen.push(one);
      behaviour(one, response, request.socket);
    });
  };
  const server = options.tls ? https.createServer(options.tls, listener) : http.createServer(listener);
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, options.host ?? '127.0.0.1');
  await once(server, 'listening');
  return {
    port: portOf(server),
    seen,
    get connections() {
      return connections;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port');
  return address.port;
}

export const json =
  (status: number, value: unknown): Behaviour =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));

export interface Authority extends Disposable {
  readonly caFile: string;
  /** A key and a certificate for a name, signed by the authority. */
  issue(name: string): { key: string; cert: string };
}

/** A certificate authority of the test's own. */
export function authority(): Authority {
  const directory = mkdtempSync(path.join(tmpdir(), 'writ-ca-'));
  const at = (name: string): string => path.join(directory, name);
  const openssl = (...args: string[]): unknown => execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  openssl(
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    '2',
    '-subj',
    '/CN=Test CA',
    '-keyout',
    at('ca.key'),
    '-out',
    at('ca.pem'),
  );
  return {
    caFile: at('ca.pem'),
    issue(name) {
      const files = ['-keyout', at(`${name}.key`), '-out', at(`${name}.pem`)];
      const by = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-addext', `subjectAltName=DNS:${name}`, '-addext', 'basicConstraints=CA:FALSE'];
      openssl('req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-subj', `/CN=${name}`, ...by, ...files);
      return { key: readFileSync(at(`${name}.key`), 'utf8'), cert: readFileSync(at(`${name}.pem`), 'utf8') };
    },
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  };
}
