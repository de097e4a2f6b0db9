import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach } from 'vitest';
import { WritClient, type WritClientOptions } from '../../../../src/surfaces/client/index.ts';

export type Handler = (request: http.IncomingMessage, reply: http.ServerResponse, body: string) => void;

interface Came {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** A server that answers each request of a test with the next handler of its script; what came is kept. */
export const server: { came: Came[]; script: Handler[] } = { came: [], script: [] };
let listening: http.Server;

/** Starts the server for each test of the file that calls it: modules are shared between files, hooks are not. */
export function serveScripts(): void {
  beforeEach(start);
  afterEach(() => {
    listening.closeAllConnections();
    listening.close();
  });
}

async function start(): Promise<void> {
  server.came = [];
  server.script = [];
  listening = http.createServer((request, reply) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      server.came.push({ method: request.method, url: request.url, headers: request.headers, body });
      const next = server.script.shift();
      if (next) next(request, reply, body);
      else reply.destroy();
    });
  });
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
}

export const client = (changes: Partial<WritClientOptions> = {}) =>
  new WritClient({ baseUrl: `http://127.0.0.1:${(listening.address() as AddressInfo).port}`, key: 'k', random: () => 0, ...changes });
export const json =
  (status: number, value: unknown, headers: http.OutgoingHttpHeaders = {}): Handler =>
  (_request, reply) =>
    void reply.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
export const problem = (status: number, code: string, headers = {}): Handler =>
  json(status, { type: 't', title: 't', status, detail: 'because', code, field: 'f' }, headers);
export const lost: Handler = (_request, reply) => void reply.destroy();
export const view = (state: string) => ({ task_id: 'a', state });
export const manifest = { task_id: 'a', capability_id: 'FILE_COPY' as const, inputs: { source_path: '/a', destination_path: '/b' }, constraints: {} };
export const lines = (values: readonly unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('');
export const none = { lines: 0, accepted: 0, in_flight: 0, retried: 0, finished: 0, rejected: 0 };
