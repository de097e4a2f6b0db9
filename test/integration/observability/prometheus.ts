import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PATIENCE_MS, patient } from '../../support/patience.ts';

/** One series of an answer: its labels and its value now; NaN and infinities as JavaScript has them. */
export interface QueryResult {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const SCRAPE_MS = patient(500);
/** A range with twenty scrapes. */
export const RANGE = `${patient(10)}s`;

/** A real Prometheus on a loopback port of its own, in a temporary directory. */
export interface Prometheus extends AsyncDisposable {
  /** An instant query through its HTTP API. Throws what Prometheus says against it. */
  query(expr: string): Promise<readonly QueryResult[]>;
}

/** Starts Debian's `prometheus`; it scrapes `127.0.0.1:<target>/metrics` twice a second, a slow machine less often. */
export async function startPrometheus(target: number): Promise<Prometheus> {
  const directory = mkdtempSync(join(tmpdir(), 'writ-prometheus-'));
  const config = join(directory, 'prometheus.yml');
  writeFileSync(
    config,
    [
      `global: { scrape_interval: ${SCRAPE_MS}ms, scrape_timeout: ${SCRAPE_MS}ms }`,
      `scrape_configs: [{ job_name: writ, honor_labels: true, static_configs: [{ targets: ['127.0.0.1:${target}'] }] }]`,
    ].join('\n'),
  );
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const args = [`--config.file=${config}`, `--storage.tsdb.path=${join(directory, 'data')}`, `--web.listen-address=127.0.0.1:${port}`, '--log.level=error'];
  // A test run that is killed must not leave its server behind.
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', 'prometheus', ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
  await ready(url, child);
  return {
    async query(expr) {
      const response = await fetch(`${url}/api/v1/query`, { method: 'POST', body: new URLSearchParams({ query: expr }) });
      const answer = (await response.json()) as Answer;
      if (answer.status !== 'success') throw new Error(`${expr}: ${answer.error}`);
      return answer.data.result.map(({ metric, value: [, text] }) => ({ labels: metric, value: Number(text.replace('Inf', 'Infinity')) }));
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

type Answer =
  | { readonly status: 'success'; readonly data: { readonly result: readonly { metric: Record<string, string>; value: readonly [number, string] }[] } }
  | { readonly status: 'error'; readonly error: string };

const POLL_MS = 50;

async function ready(url: string, child: ChildProcess): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const ok = await fetch(`${url}/-/ready`).then(
      (response) => response.ok,
      () => false,
    );
    if (ok) return;
    if (child.exitCode !== null || performance.now() > end) throw new Error('prometheus does not start');
    await delay(POLL_MS);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
