import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { packageRoot } from '../../../config/package.ts';
import { apiCertificate } from '../../../src/bin/http/certificate.ts';
import { openHostSearch } from '../../../src/bin/messages.ts';
import { SearchQuery } from '../../../src/contracts/index.ts';
import { sequential } from '../../../src/core/lifecycle.ts';
import { createMessageStore } from '../../../src/messages/store/store.ts';
import { countIndexEvent, followIndexes } from '../../../src/observability/content-index.ts';
import { createLogger } from '../../../src/observability/logging.ts';
import { messageDatabaseTelemetry } from '../../../src/observability/message-database.ts';
import { ingestTelemetry } from '../../../src/observability/message-ingest.ts';
import { messageSearchTelemetry } from '../../../src/observability/message-search.ts';
import { createMetrics } from '../../../src/observability/metrics.ts';
import { createMetricsSocket } from '../../../src/observability/metrics-socket.ts';
import { observePushes } from '../../../src/observability/pushes.ts';
import { webhookTelemetry } from '../../../src/observability/webhooks.ts';
import { createTestCa } from '../../support/certificates.ts';
import { indexGround } from '../../support/content/index-service.ts';
import { type DashboardJson, exprsOf } from '../../support/dashboards.ts';
import { message } from '../../support/messages/samples.ts';
import { RANGE, startPrometheus } from '../../support/prometheus.ts';
import { manifestOf } from '../../support/rig.ts';

import { type Site, serveMetrics, startSite } from './site.ts';

const folder = join(packageRoot(), 'grafana', 'dashboards');
const dashboards = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as DashboardJson);

/** A directory with one file, gone with its scope. */
function temporaryDirectory(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'writ-prometheus-'));
  writeFileSync(join(path, 'a'), 'x');
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** An index host's figures, in the midst of a build. */
async function indexProcess(site: Site): Promise<{ happen(): void } & AsyncDisposable> {
  const ground = await indexGround();
  ground.setActivity({ kind: 'build', phase: 'TOKENIZE', done: 300, total: 1200, started_at: '2026-01-02T03:04:05.000Z' });
  const standing = await ground.service.status();
  const metrics = createMetrics('index', '1');
  followIndexes(metrics, () => standing);
  const socket = createMetricsSocket({ directory: site.rig.places.metrics, metrics, onError: (error) => expect.unreachable(String(error)) });
  await socket.start();
  return {
    happen() {
      countIndexEvent(metrics, { kind: 'task', task: 'build', outcome: 'done', elapsedMs: 2500 });
      countIndexEvent(metrics, { kind: 'veto', veto: 'OVERFLOW' });
      countIndexEvent(metrics, {
        kind: 'state',
        before: { state: 'COMPLETE', reason: null },
        after: { state: 'UNCERTAIN', reason: 'WATCHER_OVERFLOW' },
      });
      // A search that asks the host is of another test.
      site.api.own.observe('writ_index_barrier_seconds', {}, 0.0005);
    },
    async [Symbol.asyncDispose]() {
      await socket.stop();
      await ground[Symbol.asyncDispose]();
    },
  };
}

/** A mailbox that is written and searched. */
async function mailbox({ rig, api }: Site): Promise<{ happen(): Promise<void> } & AsyncDisposable> {
  const { config, places } = rig;
  const log = createLogger('silent', 'api');
  const told = ingestTelemetry(api.own, log);
  const store = createMessageStore({ file: places.messages, batchOps: 10, onCommit: told.committed });
  const onServer = messageDatabaseTelemetry(api.own, log);
  const onSocketError = (error: unknown): void => expect.unreachable(String(error));
  const search = openHostSearch({ config, places, onEvent: messageSearchTelemetry(api.own, log), onServer, onSocketError });
  const parts = sequential([store, search]);
  await parts.start();
  let n = 0;
  return {
    async happen() {
      n += 1;
      const { counts } = await store.write({ at: Date.now(), ops: [message({ key: `k${n}`, body_md: 'a plan' })] });
      told.done(counts);
      for (const engine of ['tantivy', 'vectors'] as const) told.index(engine).onEvent({ event: 'index.incremental.batch', batch_size: 1, duration_ms: 1 });
      onServer({ server: 'primary', found: 'answered', behind: 0 });
      onServer({ server: 'replica_1', found: 'behind', behind: 1 });
      const { results } = await search.search(SearchQuery.parse({ text: 'plan' }), null);
      expect(results.length).toBeGreaterThan(0);
    },
    [Symbol.asyncDispose]: () => parts.stop(),
  };
}

it('feeds a real Prometheus, in which every query of every dashboard has a value while tasks run', async () => {
  using root = temporaryDirectory();
  const tools = { search: { enabled: true }, sandbox: { allowed_roots: [root.path] } };
  await using site = await startSite({ searchable: true, config: { tools } });
  // Without a memory limit there is nothing to show about it.
  await (await site.rig.redis.client()).config('SET', 'maxmemory', '1gb');
  await using index = await indexProcess(site);
  await using mail = await mailbox(site);
  using ca = createTestCa();
  const { cert: cert_file, key: key_file } = ca.issue('api', 'DNS:localhost');
  const { http } = site.rig.config;
  apiCertificate({ ...site.rig.config, http: { ...http, tls: { cert_file, key_file } } }, createLogger('silent', 'api'), site.api.own).certificate?.current();
  await using shown = await serveMetrics(site);
  await using prometheus = await startPrometheus(shown.port);
  site.api.http.follow({ connections: () => 1, streams: () => 0 });
  await site.rig.startWorker();
  const enqueue = observePushes(site.rig.enqueue, { count: { metrics: site.api.own, surface: 'http' } });
  const { base } = site.rig;
  index.happen();
  writeFileSync(join(base, 'a'), 'x');
  let n = 0;
  const notices = webhookTelemetry(site.api.own, createLogger('silent', 'api'), Date.now);
  const pushSome = async (): Promise<void> => {
    n += 1;
    notices.report({ endpoint: 'one', noticeId: `n${n}`, taskId: `t${n}`, end: 'delivered', problem: undefined, attempts: 1 });
    notices.counted([{ state: 'pending', notices: n, bytes: 1, oldestAt: Date.now() }]);
    notices.dropped('text', 1);
    notices.dropped('notice', 1);
    const good = manifestOf('FILE_COPY', join(base, 'a'), join(base, `b${n}`));
    const bad = manifestOf('FILE_COPY', join(base, 'nothing'), join(base, `c${n}`));
    for (const manifest of [good, bad]) await enqueue.push({ v: 1, manifest, lease: await site.rig.lease(manifest) });
    const search = manifestOf('SEARCH_FILES', '', undefined, { inputs: { query: 'a', target_scope: 'base', max_results: 1 } });
    const contents = manifestOf('CONTENT_SEARCH', '', undefined, { inputs: { pattern: 'x' } });
    for (const manifest of [search, contents]) await site.rig.push(manifest);
    await Promise.all([good, bad, search, contents].map(({ task_id: id }) => site.rig.answer(id)));
    index.happen();
    await mail.happen();
    site.api.http.ended({ route: '/v1/tasks', method: 'POST', status: 202, seconds: 0.01 });
  };
  const exprs = [...new Set(dashboards.flatMap((dashboard) => exprsOf(dashboard, RANGE)))];
  expect(exprs.length).toBeGreaterThan(100);
  const withoutValue = async (): Promise<readonly string[]> => {
    await pushSome();
    const answers = await Promise.all(exprs.map(async (expr) => ({ expr, results: await prometheus.query(expr) })));
    return answers.filter(({ results }) => results.length === 0 || results.every(({ value }) => Number.isNaN(value))).map(({ expr }) => expr);
  };
  await expect.poll(withoutValue, { interval: 300 }).toEqual([]);

  const one = async (expr: string): Promise<number> => (await prometheus.query(expr))[0]?.value ?? Number.NaN;
  await expect.poll(() => one('count(up{job="writ"} == 1)')).toBe(1);
  await expect.poll(() => one('count(writ_build_info)')).toBe(4);
  await expect.poll(() => one('sum(writ_tasks_finished_total)')).toBe(4 * n);
  const ratio = await one(`sum(rate(writ_tasks_finished_total{status="success"}[${RANGE}])) / sum(rate(writ_tasks_finished_total[${RANGE}]))`);
  expect(ratio).toBeGreaterThan(0.5);
  expect(ratio).toBeLessThan(0.9);
  expect(await one(`histogram_quantile(0.5, sum by (le) (rate(writ_task_run_seconds_bucket[${RANGE}])))`)).toBeGreaterThan(0);
});
