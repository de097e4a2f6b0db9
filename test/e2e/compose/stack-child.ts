import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { packageRoot } from '../../../config/package.ts';
import { type DashboardJson, exprsOf } from '../../support/dashboards.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { followDocument, layOutProject } from './document.ts';
import { raiseLoopback } from './loopback.ts';
import { createStack } from './stack.ts';

/** In mount and network namespaces of its own: follows docs/monitoring.md, has one task done, and prints what it saw as JSON. */
const [home = ''] = process.argv.slice(2);
const project = path.join(home, 'project');
const API = 'http://127.0.0.1:8377';
const PROMETHEUS = 'http://127.0.0.1:9090';

const INSIDE = `() => {
  const { existsSync, readFileSync, writeFileSync } = require('node:fs');
  const keys = ['kernel', 'executor'].filter((name) => readFileSync('/data/keys/' + name + '.key.json').length > 0);
  const tryIn = (directory) => {
    try {
      writeFileSync(directory + '/new', '');
      return 'done';
    } catch (error) {
      return error.code;
    }
  };
  const doors = ['kernel/kernel.sock', 'derive/derive.sock'].filter((name) => existsSync('/data/' + name));
  console.log(JSON.stringify({ uid: process.getuid(), keys, doors, write: tryIn('/app'), files: tryIn('/srv/files') }));
}`;

raiseLoopback();
layOutProject(project);
const stack = createStack(home, project);
const document = await followDocument(home, project, stack);
const seen = document.code === 0 ? await look() : {};
const ends = await stack.stop();
const exits = Object.fromEntries(Object.entries(ends).map(([name, { code }]) => [name, code]));
process.stdout.write(JSON.stringify({ document, exits, ...seen }));

async function look() {
  const metrics = await fetch(`${API}/metrics`);
  const insides = await Promise.all(['kernel', 'worker', 'search', 'index-host', 'api'].map(async (service) => [service, await inside(service)] as const));
  return {
    copy: readFileSync(path.join(home, 'volumes/files/copy.txt'), 'utf8'),
    metricsWithoutKey: metrics.status,
    searched: await searched(),
    insides: Object.fromEntries(insides),
    scraped: await scraped(),
    dashboards: await refusedExpressions(),
  };
}

/** Searches until both ways have used the index, as Prometheus counts it. It cannot be used before it is whole. */
async function searched(): Promise<Readonly<Record<string, boolean>>> {
  // bash tells what it does.
  const headers = { authorization: `Bearer ${/^\+ key=(\S+)$/m.exec(document.err)?.[1] ?? ''}`, 'content-type': 'application/json', prefer: 'wait=10' };
  const send = async (url: string, body: object): Promise<string> =>
    (await fetch(`${API}${url}`, { method: 'POST', headers, body: JSON.stringify(body) })).text();
  const end = performance.now() + PATIENCE_MS;
  for (let round = 0; ; round += 1) {
    const inputs = { pattern: 'hello' };
    const answers = [
      await send('/v1/search', inputs),
      await send('/v1/tasks?sign=true', { manifest: { task_id: `search-${round}`, capability_id: 'CONTENT_SEARCH', inputs, constraints: {} } }),
    ];
    const lost = answers.find((answer) => !answer.includes('"copy.txt"') || !answer.includes('"hello.txt"'));
    if (lost !== undefined) throw new Error(`not found: ${lost}`);
    const used = (await query('sum by (role) (writ_index_searches_total{bypass="none"}) > 0')).map(({ metric }) => metric['role']);
    const both = { api: used.includes('api'), worker: used.includes('worker') };
    if ((both.api && both.worker) || performance.now() > end) return both;
    await delay(500);
  }
}

/** Waits until Prometheus has figures of every role; its target, and the sum of the tasks that it knows. */
async function scraped(): Promise<unknown> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const roles = (await query('group by (role) (process_start_time_seconds)')).map(({ metric }) => metric['role']).sort();
    const done = await query('sum(writ_tasks_finished_total{status="success",capability!="CONTENT_SEARCH"})');
    if ((roles.length >= 4 && done[0]?.value[1] === '1') || performance.now() > end) {
      const { data } = (await (await fetch(`${PROMETHEUS}/api/v1/targets`)).json()) as {
        data: { activeTargets: { scrapeUrl: string; health: string; lastError: string }[] };
      };
      return { roles, done: done[0]?.value[1], targets: data.activeTargets.map(({ scrapeUrl, health, lastError }) => ({ scrapeUrl, health, lastError })) };
    }
    await delay(200);
  }
}

interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

async function query(expression: string): Promise<readonly Series[]> {
  const answer = await fetch(`${PROMETHEUS}/api/v1/query`, { method: 'POST', body: new URLSearchParams({ query: expression }) });
  const { data, error } = (await answer.json()) as { data?: { result: Series[] }; error?: string };
  if (error !== undefined) throw new Error(`${expression}: ${error}`);
  return data?.result ?? [];
}

/** Asks the real Prometheus for every panel of every dashboard that Grafana is given. */
async function refusedExpressions(): Promise<{ asked: number; refused: readonly string[] }> {
  const folder = path.join(packageRoot(), 'grafana/dashboards');
  const all = readdirSync(folder).flatMap((name) => exprsOf(JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as DashboardJson, '5m'));
  const answers = await Promise.all(
    all.map((expression) =>
      query(expression).then(
        () => [],
        (error: unknown) => [String(error)],
      ),
    ),
  );
  return { asked: all.length, refused: answers.flat() };
}

/** What a service is and sees: its user, the private keys that are not empty to it, and why it cannot write beside its volumes. */
async function inside(service: string): Promise<unknown> {
  const { out, err } = await stack.exec(service, ['node', '-e', `(${INSIDE})()`]);
  return out === '' ? err : JSON.parse(out);
}
