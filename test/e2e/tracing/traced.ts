import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { loadConfig } from '../../../config/load.ts';
import { QUEUE_PREFIX } from '../../../queues/catalog.ts';
import { createConnection } from '../../../queues/connection.ts';
import { redisTarget } from '../../../src/bin/redis-target.ts';
import { type DataDirPaths, dataDirPaths } from '../../../src/data-dir/paths.ts';
import { scriptArgs } from '../../support/compiled/script.ts';
import { httpTool } from '../../support/http-provider.ts';
import { type Collector, startCollector } from '../../support/otlp-collector.ts';
import { patient } from '../../support/patience.ts';
import { json, type ToolServer, toolServer } from '../../support/tool-server.ts';

const WRIT = new URL('../../../src/bin/writ.ts', import.meta.url);

/** `writ up` with its processes (api, worker, kernel, Redis), which send their spans to a collector, and a tool of the outside. */
export interface Traced extends AsyncDisposable {
  readonly places: DataDirPaths;
  readonly base: string;
  readonly collector: Collector;
  readonly tool: ToolServer;
  /** A call of the API as the operator. */
  api(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<{ readonly status: number; readonly body: Record<string, unknown> }>;
  /** The exposition of all processes. */
  metrics(): Promise<string>;
  /** A command line, as a process of its own. */
  writ(args: readonly string[], input?: string): Promise<{ readonly code: number; readonly out: string }>;
  /** A job that nobody of ours made. */
  raw(queue: string, data: unknown): Promise<void>;
  /** All lines that the processes have logged, once as many as `times` (1) are such lines. */
  logged(isIt: (line: string) => boolean, times?: number): Promise<string>;
}

const WAIT_MS = patient(90_000);

export async function startTraced(): Promise<Traced> {
  const home = mkdtempSync(path.join(tmpdir(), 'writ-traced-'));
  const [base, registry, dataDir] = ['base', 'registry', 'data'].map((name) => path.join(home, name)) as [string, string, string];
  for (const directory of [base, ...['registries', 'config/tools', 'config/tool-bindings'].map((part) => path.join(registry, part))])
    mkdirSync(directory, { recursive: true });
  mkdirSync(dataDir, { mode: 0o700 });
  const places = dataDirPaths(dataDir);
  const [collector, tool] = await Promise.all([startCollector(), toolServer(json(200, { ok: true }))]);
  const { definition, binding } = httpTool('test.http', `http://127.0.0.1:${tool.port}`, { send: 'once' });
  const write = (file: string, content: unknown): void => writeFileSync(path.join(registry, file), JSON.stringify(content));
  write('registries/tools.json', [{ ...definition, path: 'config/tools/test.http.tool.json' }]);
  write('config/tools/test.http.tool.json', definition);
  write('config/tool-bindings/test.http.json', binding);
  // No tour: it would want a workspace of its own.
  writeFileSync(places.tourGiven, '');
  writeFileSync(path.join(home, 'otlp'), 'Bearer of-the-collector\n', { mode: 0o600 });
  const settings = [
    `[http]\nport = 0\n[plan]\nregistry_dir = ${JSON.stringify(registry)}`,
    `[file.base_directories]\nmain = ${JSON.stringify(base)}`,
    `[tracing]\nenabled = true\nendpoint = ${JSON.stringify(collector.endpoint)}\ntimeout_ms = 60000\nmax_spans = 200`,
    `[tracing.headers]\nauthorization = ${JSON.stringify(`file:${path.join(home, 'otlp')}`)}`,
  ];
  writeFileSync(places.configFile, `${settings.join('\n')}\n`, { mode: 0o600 });

  const start = (args: readonly string[]) => spawn(process.execPath, scriptArgs(WRIT, ['--data-dir', dataDir, ...args]), { stdio: ['pipe', 'pipe', 'pipe'] });
  const up = start(['up']);
  up.stdin.end();
  let said = '';
  for (const stream of [up.stdout, up.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (said += text));
  await until(
    () => up.exitCode !== null || (existsSync(places.apiUrl) && readFileSync(places.apiUrl, 'utf8').endsWith('\n')),
    () => `writ up says: ${said}`,
  );
  const url = readFileSync(places.apiUrl, 'utf8').trim();
  const authorization = `Bearer ${readFileSync(places.operatorKey, 'utf8').trim()}`;
  const { config } = loadConfig({ dataDir, env: {} });

  return {
    places,
    base,
    collector,
    tool,
    async api(method, route, body, headers = {}) {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const type = body === undefined ? {} : { 'content-type': 'application/json' };
      const response = await fetch(url + route, { method, headers: { authorization, ...type, ...headers }, ...sent });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    },
    metrics: async () => (await fetch(`${url}/metrics`)).text(),
    async writ(args, input = '') {
      const child = start(args);
      let out = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
      child.stderr.resume();
      child.stdin.end(input);
      const [code] = (await once(child, 'close')) as [number | null];
      return { code: code ?? -1, out };
    },
    async raw(name, data) {
      const connection = createConnection(redisTarget(config, places), 'producer');
      const queue = new Queue(name, { connection, prefix: QUEUE_PREFIX });
      await queue.add('raw', data);
      await queue.close();
      connection.disconnect();
    },
    async logged(isIt, times = 1) {
      const read = (): string =>
        readdirSync(places.logs)
          .map((name) => readFileSync(path.join(places.logs, name), 'utf8'))
          .join('');
      await until(
        () => read().split('\n').filter(isIt).length >= times,
        () => `no ${times} such lines in ${read()}`,
      );
      return read();
    },
    async [Symbol.asyncDispose]() {
      const ended = once(up, 'close');
      up.kill('SIGTERM');
      await ended;
      await Promise.all([collector[Symbol.asyncDispose](), tool[Symbol.asyncDispose]()]);
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Looks again at files that other processes write: nobody tells when they do. */
async function until(isIt: () => boolean, failure: () => string): Promise<void> {
  const end = performance.now() + WAIT_MS;
  while (!isIt()) {
    if (performance.now() > end) throw new Error(failure());
    await delay(50);
  }
}
