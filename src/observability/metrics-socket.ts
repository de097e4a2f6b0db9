import { randomBytes } from 'node:crypto';
import { chmod, mkdir } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import path from 'node:path';
import { type Lifecycle, lifecycle } from '../core/lifecycle.ts';
import type { Metrics } from './metrics.ts';
import { removeDead } from './metrics-directory.ts';

export const TEXT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** A scrape needs one; more are somebody's mistake. */
const MAX_CONNECTIONS = 16;
const REQUEST_MS = 5000;

/** One thing that was looked at. */
export interface Finding {
  readonly name: string;
  readonly ok: boolean;
  readonly detail?: string;
}

/** How a process is. Both never reject, and take a time that they bound themselves. */
export interface Health {
  /** Whether it should live on; a supervisor restarts it when not. Asks nobody else. */
  readonly alive?: () => Promise<readonly Finding[]>;
  /** Whether it works now, for real. */
  readonly ready?: () => Promise<readonly Finding[]>;
}

export interface MetricsSocketOptions {
  /** `<data>/metrics`; made 0700. */
  readonly directory: string;
  readonly metrics: Metrics;
  /** What `/healthz` and `/readyz` answer with; without it a process that answers is both. */
  readonly health?: Health;
  /** Also on this loopback port, for a Prometheus on this host; 0: not. */
  readonly port?: number;
  /** What cannot be opened is told, and the process works on without: figures are no reason not to work. */
  readonly onError: (error: unknown) => void;
}

/**
 * Shows the metrics of this process: `/metrics` (Prometheus text) and `/metrics.json` (`Family[]`), and how it is:
 * `/healthz` (whether it should be restarted) and `/readyz` (whether it works now), 200 or 503, on the unix socket
 * `<directory>/<role>-<random>.sock`, 0600. The socket is removed by `stop`; those of dead processes are removed meanwhile.
 */
export function createMetricsSocket({ directory, metrics, health = {}, port = 0, onError }: MetricsSocketOptions): Lifecycle {
  const servers: Server[] = [];
  // A process begins to work while it is swept.
  let sweep: Promise<void> | undefined;
  const open = async (address: { path: string } | { host: string; port: number }): Promise<void> => {
    const server = createServer((request, response) => void answer(request, response, metrics, health));
    Object.assign(server, { maxConnections: MAX_CONNECTIONS, requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS, keepAliveTimeout: 1 });
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(address, resolve));
    server.removeAllListeners('error').on('error', onError).unref();
    servers.push(server);
  };
  return lifecycle(
    async () => {
      const socket = path.join(directory, `${metrics.role}-${randomBytes(4).toString('hex')}.sock`);
      try {
        // Where it cannot be made and is not there, the socket says so.
        await mkdir(directory, { mode: 0o700 }).catch(() => undefined);
        sweep = removeDead(directory);
        await open({ path: socket });
        await chmod(socket, 0o600);
      } catch (error) {
        onError(error);
      }
      if (port > 0) await open({ host: '127.0.0.1', port }).catch(onError);
    },
    async () => {
      // Closing a server removes its socket file.
      for (const server of servers.splice(0)) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
      await sweep;
    },
  );
}

/** A page of a stranger that made its name point here (DNS rebinding) sends that name. */
const HOSTS = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

async function answer({ method, url, headers }: IncomingMessage, response: ServerResponse, metrics: Metrics, health: Health): Promise<void> {
  const send = (status: number, type: string, body: string): void => void response.writeHead(status, { 'content-type': type, connection: 'close' }).end(body);
  if (!HOSTS.test(headers.host ?? '')) return send(421, 'text/plain', 'this host is not served here\n');
  if (method !== 'GET') return send(405, 'text/plain', 'only GET\n');
  try {
    if (url === '/metrics') return send(200, TEXT_TYPE, await metrics.text());
    if (url === '/metrics.json') return send(200, 'application/json', JSON.stringify(await metrics.families()));
    if (url === '/healthz') return await sendFindings(send, 'ok', 'unhealthy', health.alive);
    if (url === '/readyz') return await sendFindings(send, 'ready', 'not_ready', health.ready);
    send(404, 'text/plain', 'there are /metrics, /metrics.json, /healthz and /readyz\n');
  } catch {
    send(500, 'text/plain', 'the figures could not be read\n');
  }
}

type Send = (status: number, type: string, body: string) => void;

/** 200 and the first word when all is well, else 503 and the second; each finding by its name. */
async function sendFindings(send: Send, good: string, bad: string, ask: (() => Promise<readonly Finding[]>) | undefined): Promise<void> {
  const checks = (await ask?.()) ?? [];
  const well = checks.every(({ ok }) => ok);
  send(well ? 200 : 503, 'application/json', JSON.stringify({ status: well ? good : bad, checks }));
}
