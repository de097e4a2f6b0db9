import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { followIndexes } from '../../../src/observability/content-index.ts';
import { METRICS } from '../../../src/observability/events.ts';
import { createExporter } from '../../../src/observability/exporter.ts';
import { createMetricsGatherer } from '../../../src/observability/gatherer.ts';
import { labelAllows } from '../../../src/observability/labels.ts';
import { createLogger } from '../../../src/observability/logging.ts';
import { messageDatabaseTelemetry } from '../../../src/observability/message-database.ts';
import type { MetricRow } from '../../../src/observability/metric-row.ts';

import { createMetrics } from '../../../src/observability/metrics.ts';
import { createMetricsSocket } from '../../../src/observability/metrics-socket.ts';
import { observePushes } from '../../../src/observability/pushes.ts';
import { createRoleMetrics, followRotation } from '../../../src/observability/rotation-trouble.ts';
import { webhookTelemetry } from '../../../src/observability/webhooks.ts';
import { indexGround } from '../../support/content/index-service.ts';
import { manifestOf } from '../../support/rig.ts';
import { type Site, samplesOf, startSite, total } from './site.ts';

const rows = new Map(Object.entries<MetricRow>(METRICS));

describe('the metrics of an installation', () => {
  let site: Site;

  beforeAll(async () => {
    site = await startSite();
  });
  afterAll(() => site[Symbol.asyncDispose]());

  it('counts a takeover and its recovery after a worker was killed in the midst of a task', async () => {
    const { rig } = site;
    writeFileSync(join(rig.base, 'killed'), 'x');
    const manifest = manifestOf('FILE_MOVE', join(rig.base, 'killed'), join(rig.base, 'killed-moved'));
    await rig.push(manifest);
    await site.dyingWorker();
    await rig.startWorker();
    expect(await rig.answer(manifest.task_id)).toMatchObject({ status: 'SUCCESS' });
    const text = await site.scrape();
    expect(total(text, 'writ_ledger_answers_total', { answer: 'takeover' })).toBe(1);
    expect(total(text, 'writ_task_attempts_total', { reason: 'takeover' })).toBe(1);
    expect(total(text, 'writ_recoveries_total', { decision: 'finish' })).toBe(1);
    expect(total(text, 'writ_stalled_total')).toBe(1);
    expect(total(text, 'writ_task_wait_seconds_count')).toBe(0);
    expect(total(text, 'writ_tasks_finished_total', { capability: 'FILE_MOVE', status: 'success', error_code: 'none' })).toBe(1);
  });

  it('counts what became of real tasks, each once', async () => {
    const { rig, api } = site;
    const before = await site.scrape();
    const change = async (name: string, labels: Record<string, string>): Promise<number> =>
      total(await site.scrape(), name, labels) - total(before, name, labels);
    const counted = observePushes(rig.enqueue, { count: { metrics: api.own, surface: 'http' } });
    writeFileSync(join(rig.base, 'a'), 'x');
    const copy = manifestOf('FILE_COPY', join(rig.base, 'a'), join(rig.base, 'b'));
    const missing = manifestOf('FILE_COPY', join(rig.base, 'nothing'), join(rig.base, 'c'));
    const expired = manifestOf('FILE_COPY', join(rig.base, 'a'), join(rig.base, 'd'));
    const strange = manifestOf('WIPE_DISK_"\n{}', join(rig.base, 'a'));
    const now = Math.floor(Date.now() / 1000);
    const lease = async (manifest: typeof copy, changes = {}): Promise<string> => rig.lease(manifest, changes);
    await counted.push({ v: 1, manifest: copy, lease: await lease(copy) });
    await counted.push({ v: 1, manifest: missing, lease: await lease(missing) });
    await counted.push({ v: 1, manifest: expired, lease: await lease(expired, { iat: now - 100, exp: now - 50 }) });
    await counted.push({ v: 1, manifest: strange, lease: await lease(strange) });
    for (const { task_id: id } of [copy, missing, expired, strange]) await rig.answer(id);
    expect(await counted.push({ v: 1, manifest: copy, lease: await lease(copy) })).toMatchObject({ kind: 'finished' });
    // A row that came first is recorded before its delivery is counted; the next scrape after the queue is idle has all.
    await expect.poll(() => change('writ_deliveries_ended_total', {})).toBe(4);

    expect(await change('writ_tasks_submitted_total', { surface: 'http', outcome: 'accepted' })).toBe(4);
    expect(await change('writ_tasks_submitted_total', { surface: 'http', outcome: 'finished' })).toBe(1);
    expect(await change('writ_tasks_finished_total', { capability: 'FILE_COPY', status: 'success', error_code: 'none' })).toBe(1);
    expect(await change('writ_tasks_finished_total', { capability: 'FILE_COPY', status: 'failure', error_code: 'EXECUTION_FAILED' })).toBe(1);
    expect(await change('writ_tasks_finished_total', { capability: 'FILE_COPY', status: 'failure', error_code: 'LEASE_EXPIRED' })).toBe(1);
    expect(await change('writ_tasks_finished_total', { capability: 'other', status: 'failure', error_code: 'UNSUPPORTED_CAPABILITY' })).toBe(1);
    expect(await change('writ_task_outcomes_total', { capability: 'FILE_COPY', whose: 'producer' })).toBe(2);
    expect(await change('writ_task_outcomes_total', { whose: 'host' })).toBe(0);
    expect(await change('writ_task_failure_reasons_total', { capability: 'FILE_COPY', reason: 'source_missing' })).toBe(1);
    expect(await change('writ_task_failure_reasons_total', { capability: 'FILE_COPY', reason: 'lease_expired' })).toBe(1);
    expect(await change('writ_lease_refusals_total', { error_code: 'LEASE_EXPIRED' })).toBe(1);
    expect(await change('writ_ledger_answers_total', { answer: 'new' })).toBe(4);
    expect(await change('writ_task_attempts_total', { reason: 'first' })).toBe(4);
    expect(await change('writ_task_wait_seconds_count', {})).toBe(4);
    expect(await change('writ_task_end_to_end_seconds_count', { capability: 'FILE_COPY' })).toBe(3);
    expect(await change('writ_journal_commit_seconds_count', {})).toBeGreaterThan(0);
  });

  it('counts a retry by a person as such, without its rest in the end-to-end time', async () => {
    const { rig } = site;
    const before = await site.scrape();
    const manifest = manifestOf('FILE_COPY', join(rig.base, 'later'), join(rig.base, 'later-copy'));
    await rig.push(manifest);
    await rig.answer(manifest.task_id, ({ status }) => status === 'FAILURE');
    writeFileSync(join(rig.base, 'later'), 'x');
    await expect.poll(async () => (await rig.enqueue.retry(manifest.task_id)).kind).toBe('retried');
    await rig.answer(manifest.task_id, ({ status }) => status === 'SUCCESS');
    await expect.poll(async () => total(await site.scrape(), 'writ_task_attempts_total', { reason: 'operator' })).toBe(1);
    const text = await site.scrape();
    expect(total(text, 'writ_task_end_to_end_seconds_count') - total(before, 'writ_task_end_to_end_seconds_count')).toBe(1);
  });

  it('exposes every metric of the contract and no other, with its type, labels and values', async () => {
    site.api.http.ended({ route: '/v1/tasks', method: 'POST', status: 202, seconds: 0.01 });
    site.api.http.follow({ connections: () => 1, streams: () => 0 });
    // Without TLS it is absent.
    site.api.own.set('writ_certificate_expires_timestamp_seconds', {}, 1_800_000_000);
    const notices = webhookTelemetry(site.api.own, createLogger('silent', 'api'), Date.now);
    notices.report({ endpoint: 'one', noticeId: 'n', taskId: 't', end: 'delivered', problem: undefined, attempts: 1 });
    notices.counted([{ state: 'pending', notices: 1, bytes: 1, oldestAt: Date.now() }]);
    notices.dropped('text', 1);
    notices.dropped('notice', 1);
    followRotation(site.api.own, createLogger('silent', 'api'), ['log', 'audit']);
    // Without a server of PostgreSQL it is absent.
    messageDatabaseTelemetry(site.api.own, createLogger('silent', 'api'))({ server: 'replica_1', found: 'behind', behind: 7 });
    await using ground = await indexGround();
    const standing = await ground.service.status();
    const host = createRoleMetrics('index', '0', createLogger('silent', 'index'));
    followIndexes(host, () => standing);
    await using shown = createMetricsSocket({ directory: site.rig.places.metrics, metrics: host, onError: (error) => expect.unreachable(String(error)) });
    await shown.start();
    const text = await site.scrape();
    const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type]) => [name, type]));
    expect([...types.keys()].sort()).toEqual([...rows.keys()].sort());
    for (const [name, row] of rows) expect([name, types.get(name)]).toEqual([name, row.type]);
    const seen = new Map<string, Set<string>>();
    for (const { name: sampleName, labels: all } of samplesOf(text)) {
      const name = rows.has(sampleName) ? sampleName : sampleName.replace(/_(bucket|sum|count)$/, '');
      const { role = '', instance, le: _le, ...labels } = all;
      const row = rows.get(name);
      expect(row?.roles).toContain(role);
      expect(instance).toMatch(/^[a-z0-9]+$/);
      expect(Object.keys(labels).sort()).toEqual(Object.keys(row?.labels ?? {}).sort());
      for (const [label, value] of Object.entries(labels)) expect([label, value, labelAllows(row?.labels[label] ?? [], value)]).toEqual([label, value, true]);
      seen.set(name, (seen.get(name) ?? new Set()).add(role));
    }
    for (const [name, row] of rows) expect([name, [...(seen.get(name) ?? [])].sort()]).toEqual([name, [...row.roles].sort()]);
  });

  it('is an exposition that promtool accepts', async () => {
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: await site.scrape(), encoding: 'utf8' });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it('shows queues, ledger and Redis, and the kernel as a process of its own', async () => {
    // A reading is shown again for a while, and an answer is heard before its job is marked as completed.
    await expect.poll(async () => total(await site.scrape(), 'writ_queue_jobs', { queue: 'file', state: 'completed' })).toBeGreaterThan(0);
    const text = await site.scrape();
    expect(total(text, 'writ_exporter_up')).toBe(1);
    expect(total(text, 'writ_queue_workers', { queue: 'file' })).toBe(1);
    expect(total(text, 'writ_ledger_markers')).toBe(total(text, 'writ_ledger_markers_expected'));
    expect(total(text, 'writ_redis_memory_used_bytes')).toBeGreaterThan(100_000);
    expect(total(text, 'writ_redis_noeviction')).toBe(1);
    expect(total(text, 'writ_gather_sources')).toBe(2);
    expect(total(text, 'writ_build_info', { role: 'kernel' })).toBe(1);
  });

  it('answers within its time-box when other sockets hang, lie or are dead, and says so', async () => {
    const directory = site.rig.places.metrics;
    const before = await site.scrape();
    const hung = createServer(() => undefined).listen(join(directory, 'worker-hung.sock'));
    const liar = createHttpServer((_request, response) =>
      response.end(JSON.stringify([{ name: 'writ_build_info', samples: [{ name: 'writ_build_info', labels: { version: '1\n# evil' }, value: 1 }] }])),
    );
    liar.listen(join(directory, 'worker-liar.sock'));
    const flood = createHttpServer((_request, response) => void response.writeHead(200).write(Buffer.alloc(5 * 1024 * 1024, 'x')));
    flood.listen(join(directory, 'kernel-flood.sock'));
    const noise = createServer((socket) => void socket.on('error', () => undefined).end('no http at all\r\n\r\n')).listen(join(directory, 'worker-noise.sock'));
    writeFileSync(join(directory, 'worker-file.sock'), '');
    // The one that hangs never ends by itself: its time-box has ended it, as the counts say.
    const text = await site.scrape();
    for (const server of [hung, liar, flood, noise]) server.close();
    rmSync(join(directory, 'worker-file.sock'));
    const change = (reason: string): number => total(text, 'writ_gather_errors_total', { reason }) - total(before, 'writ_gather_errors_total', { reason });
    expect({ timeout: change('timeout'), malformed: change('malformed'), too_large: change('too_large'), unreachable: change('unreachable') }).toEqual({
      timeout: 1,
      malformed: 2,
      too_large: 1,
      unreachable: 0,
    });
    expect(text).not.toContain('evil');
    expect(total(text, 'writ_gather_sources')).toBe(2);
  });

  it('leaves figures out, rather than show old ones, while Redis does not answer', async () => {
    process.kill(site.rig.redis.pid(), 'SIGSTOP');
    try {
      // Redis stands still until the test is over: nothing but the time-box ends these scrapes.
      await expect.poll(() => site.scrape()).toMatch(/^writ_exporter_up\{.*\} 0$/m);
      expect(samplesOf(await site.scrape()).filter(({ name }) => name.startsWith('writ_queue_') || name.startsWith('writ_redis_'))).toEqual([]);
    } finally {
      process.kill(site.rig.redis.pid(), 'SIGCONT');
    }
    await expect.poll(async () => total(await site.scrape(), 'writ_exporter_up')).toBe(1);
    // The worker's sign of life ran out meanwhile: it is there again with the next one.
    await expect.poll(async () => total(await site.scrape(), 'writ_queue_workers', { queue: 'file' })).toBe(1);
  });
});

describe('the socket of a process', () => {
  it('is 0600, is removed by stop, and takes the sockets of dead processes away', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'writ-metrics-'));
    const dead = join(directory, 'worker-dead.sock');
    // A process that was killed leaves its socket file; a child that ends hard does the same.
    spawnSync(process.execPath, ['-e', `require('net').createServer().listen(${JSON.stringify(dead)}, () => process.kill(process.pid, 'SIGKILL'))`]);
    expect(existsSync(dead)).toBe(true);
    utimesSync(dead, new Date(0), new Date(0));
    const errors: unknown[] = [];
    const socket = createMetricsSocket({ directory, metrics: createMetrics('kernel', '1'), onError: (error) => errors.push(error) });
    await socket.start();
    const [name = ''] = readdirSync(directory);
    expect(name).toMatch(/^kernel-[0-9a-f]{8}\.sock$/);
    expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
    await socket.stop();
    expect(readdirSync(directory)).toEqual([]);
    expect(errors).toEqual([]);
    rmSync(directory, { recursive: true });
  });

  it('serves text on a loopback port when asked to, to callers that name this host only', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'writ-metrics-'));
    const probe = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => probe.once('listening', resolve));
    const { port } = probe.address() as { port: number };
    await new Promise((resolve) => probe.close(resolve));
    const errors: unknown[] = [];
    await using socket = createMetricsSocket({ directory, metrics: createMetrics('worker', '1'), port, onError: (error) => errors.push(error) });
    await socket.start();
    expect(errors).toEqual([]);
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(text).toContain('writ_worker_slots');
    const strange = await new Promise<number | undefined>((resolve) => {
      void import('node:http').then(({ get }) =>
        get({ host: '127.0.0.1', port, path: '/metrics', headers: { host: 'evil.example' } }, (response) => resolve(response.resume().statusCode)),
      );
    });
    expect(strange).toBe(421);
    // A second process on the same port works on without it.
    await using second = createMetricsSocket({ directory, metrics: createMetrics('worker', '1'), port, onError: (error) => errors.push(error) });
    await second.start();
    expect(errors).toMatchObject([{ code: 'EADDRINUSE' }]);
  });

  it('does not keep a role from working when its directory cannot be made', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'writ-metrics-'));
    writeFileSync(join(directory, 'file'), '');
    const errors: unknown[] = [];
    await using socket = createMetricsSocket({
      directory: join(directory, 'file'),
      metrics: createMetrics('worker', '1'),
      onError: (error) => errors.push(error),
    });
    await socket.start();
    expect(errors).toHaveLength(1);
  });
});

describe('the exporter', () => {
  it('reads at most once a second however often it is asked, and never twice at a time', async () => {
    let now = 0;
    let reads = 0;
    const metrics = createMetrics('api', '1');
    const redis = { version: '7', policy: 'noeviction', appendOnly: true, appendOnlyOk: false, usedBytes: 5, limitBytes: 0 };
    const read = async () => {
      reads += 1;
      return { queues: [], workers: [], ledger: { markers: 1, expected: 16, generation: undefined }, redis };
    };
    const refresh = createExporter({ metrics, read, clock: { monotonic: () => now } });
    await Promise.all([refresh(), refresh(), refresh()]);
    await refresh();
    expect(reads).toBe(1);
    now = 1000;
    await refresh();
    expect(reads).toBe(2);
    const gatherer = createMetricsGatherer({ directory: '/nonexistent', own: metrics, refresh });
    expect((await gatherer.metrics()).text).toContain('writ_redis_append_only_ok{role="api",instance="api"} 0');
  });
});
