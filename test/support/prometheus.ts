import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PATIENCE_MS, patient } from './patience.ts';

/** One series of an answer: its labels and its value now; NaN and infinities as JavaScript has them. */
export interface QueryResult {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const SCRAPE_MS = patient(500);
/** A range with twenty scrapes. */
export const RANGE = `${patient(10)}s`;

/** What Prometheus says of one alerting rule. */
export interface LiveAlert {
  readonly name: string;
  /** `ok` once it was evaluated, else `err` or `unknown`. */
  readonly health: string;
  readonly lastError: string;
  readonly state: 'inactive' | 'pending' | 'firing';
  /** Annotations of those that stand. */
  readonly annotations: readonly Readonly<Record<string, string>>[];
}

/** A real Prometheus on a loopback port of its own, in a temporary directory. */
export interface Prometheus extends AsyncDisposable {
  /** An instant query through its HTTP API. Throws what Prometheus says against it. */
  query(expr: string): Promise<readonly QueryResult[]>;
  /** All alerting rules, as they stand. */
  alerts(): Promise<readonly LiveAlert[]>;
  /** Rules, alerting and recording, and those among them whose last evaluation failed or that were not evaluated yet. */
  rules(): Promise<{ readonly all: number; readonly ailing: readonly string[] }>;
}

/** Starts Debian's `prometheus`; it scrapes `127.0.0.1:<target>/metrics` twice a second, a slow machine less often. */
export function startPrometheus(target: number): Promise<Prometheus> {
  return startPrometheusWith({
    'prometheus.yml': [
      `global: { scrape_interval: ${SCRAPE_MS}ms, scrape_timeout: ${SCRAPE_MS}ms }`,
      `scrape_configs: [{ job_name: writ, honor_labels: true, static_configs: [{ targets: ['127.0.0.1:${target}'] }] }]`,
    ].join('\n'),
  });
}

/** Starts Debian's `prometheus` on these files, by name; `prometheus.yml` is its configuration. */
export async function startPrometheusWith(files: Readonly<Record<string, string>>): Promise<Prometheus> {
  const directory = mkdtempSync(join(tmpdir(), 'writ-prometheus-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const args = [
    `--config.file=${join(directory, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(directory, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--log.level=error',
  ];
  // A test run that is killed must not leave its server behind.
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', 'prometheus', ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
  await ready(url, child);
  const rules = async (): Promise<readonly Rule[]> => {
    const { data } = (await (await fetch(`${url}/api/v1/rules`)).json()) as RulesAnswer;
    return data.groups.flatMap((group) => group.rules);
  };
  return {
    async query(expr) {
      const response = await fetch(`${url}/api/v1/query`, { method: 'POST', body: new URLSearchParams({ query: expr }) });
      const answer = (await response.json()) as Answer;
      if (answer.status !== 'success') throw new Error(`${expr}: ${answer.error}`);
      return answer.data.result.map(({ metric, value: [, text] }) => ({ labels: metric, value: Number(text.replace('Inf', 'Infinity')) }));
    },
    async alerts() {
      return (await rules())
        .filter(({ type }) => type === 'alerting')
        .map(({ name, health, lastError = '', state = 'inactive', alerts = [] }) => ({
          ...{ name, health, lastError, state },
          annotations: alerts.map(({ annotations }) => annotations),
        }));
    },
    async rules() {
      const all = await rules();
      return {
        all: all.length,
        ailing: all.filter(({ health }) => health !== 'ok').map(({ name, health, lastError = '' }) => `${name}: ${health} ${lastError}`),
      };
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

interface Rule {
  readonly type: 'alerting' | 'recording';
  readonly name: string;
  readonly health: string;
  readonly lastError?: string;
  readonly state?: LiveAlert['state'];
  readonly alerts?: readonly { readonly annotations: Readonly<Record<string, string>> }[];
}

interface RulesAnswer {
  readonly data: { readonly groups: readonly { readonly rules: readonly Rule[] }[] };
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
