import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseTraceparent } from '../../../src/core/trace-context.ts';
import { samplesOf, total } from '../../integration/observability/site.ts';
import { type Received, treeOf } from '../../support/otlp-collector.ts';
import { envelopeOf, fileStep } from '../../support/plan-rig.ts';
import { startTraced, type Traced } from './traced.ts';

/** Real processes: api, worker, kernel and Redis of `writ up`, command lines, a collector and a tool. */
let writ: Traced;
beforeAll(async () => {
  writ = await startTraced();
  // The very first claim finds no ledger and makes one.
  file('warm');
  await writ.api('POST', '/v1/tasks?sign=true', { manifest: copy('warm') }, WAIT);
});
afterAll(() => writ?.[Symbol.asyncDispose]());

const WAIT = { prefer: 'wait=20' };
const copy = (task_id: string, source = `${task_id}.txt`) => ({
  task_id,
  capability_id: 'FILE_COPY',
  inputs: { source_path: path.join(writ.base, source), destination_path: path.join(writ.base, `${task_id}.copy`) },
  constraints: {},
});
const file = (name: string): void => writeFileSync(path.join(writ.base, `${name}.txt`), name);
const newTrace = () => randomBytes(16).toString('hex');
const parentOf = (traceId: string): string => `00-${traceId}-00f067aa0ba902b7-01`;
const ended = (traceId: string, deliveries: number) => (spans: readonly Received[]) =>
  spans.filter((span) => span.traceId === traceId && span.name.startsWith('process ')).length >= deliveries &&
  spans.some((span) => span.traceId === traceId && span.name.startsWith('POST '));
const only = (spans: readonly Received[], traceId: string, name: string): Received => {
  const found = spans.filter((span) => span.traceId === traceId && span.name === name);
  expect([name, found.length]).toEqual([name, 1]);
  return found[0] as Received;
};

describe('a trace', () => {
  it('leads from the request over the queue to the executor and its journal, in two processes', async () => {
    file('one');
    const traceId = newTrace();
    const { status } = await writ.api('POST', '/v1/tasks?sign=true', { manifest: copy('one') }, { ...WAIT, traceparent: parentOf(traceId) });
    expect(status).toBe(200);
    const spans = await writ.collector.until(ended(traceId, 1));
    expect(treeOf(spans, traceId)).toBe(
      [
        'api: POST /v1/tasks',
        '  api: publish file',
        '    worker: wait file',
        '    worker: process file',
        '      worker: verify lease',
        '      worker: claim',
        '      worker: recall',
        '      worker: execute FILE_COPY',
        '        worker: intent',
        '      worker: sign',
        '      worker: conclude',
        '      worker: record',
      ].join('\n'),
    );
    const [request, publish, process] = ['POST /v1/tasks', 'publish file', 'process file'].map((name) => only(spans, traceId, name)) as [
      Received,
      Received,
      Received,
    ];
    expect(request.parentSpanId).toBe('00f067aa0ba902b7');
    expect([request.kind, publish.kind, process.kind]).toEqual([2, 4, 5]);
    expect(new Set([request.instance, process.instance]).size).toBe(2);
    expect(request.attributes).toMatchObject({ 'http.route': '/v1/tasks', 'http.response.status_code': 200 });
    expect(process.attributes).toMatchObject({
      'writ.task.id': 'one',
      'writ.capability': 'FILE_COPY',
      'writ.end': 'SUCCESS',
      'writ.replayed': false,
      'messaging.system': 'bullmq',
      'messaging.destination.name': 'file',
      'messaging.message.id': 't_one',
    });
    expect(process.start).toBeGreaterThanOrEqual(publish.start);
    // Of the payload there is nothing: no path, no message.
    expect(JSON.stringify(spans, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value))).not.toContain(writ.base);
    const line = await writ.logged((text) => text.includes('"taskId":"one"') && text.includes('"delivery"'));
    expect(line).toContain(`"traceId":"${traceId}"`);
    expect(writ.collector.headers.at(-1)?.authorization).toBe('Bearer of-the-collector');
    expect(writ.collector.broken).toEqual([]);
  });

  it('of a plan leads over its steps to the call of a tool, which is told the context of exactly that call', async () => {
    file('two');
    const traceId = newTrace();
    const steps = [
      fileStep('FILE_COPY', path.join(writ.base, 'two.txt'), path.join(writ.base, 'two.copy')),
      { type: 'tool', ref: 'test.http', operation: 'send', params: { n: 2 } },
    ];
    const { status, body } = await writ.api('POST', '/v1/plans?sign=true', { envelope: envelopeOf(steps) }, { ...WAIT, traceparent: parentOf(traceId) });
    expect([status, body['state']]).toEqual([200, 'success']);
    const spans = await writ.collector.until(
      (all) =>
        ended(traceId, 3)(all) && all.some((span) => span.traceId === traceId && span.name === 'process plan' && span.attributes['writ.end'] === 'success'),
    );
    const tree = treeOf(spans, traceId);
    expect(tree).toMatch(/^api: POST \/v1\/plans\n {2}api: publish plan\n/);
    // Each step: a delivery of the plan, the step, the lease from the kernel, and, in this worker without a push, the delivery of the task below it.
    for (const [queue, inside] of [
      ['file', ['execute FILE_COPY', 'intent']],
      ['tool-test-http', ['execute TOOL_CALL', 'intent', 'call test.http']],
    ] as const) {
      const delivery = only(spans, traceId, `process ${queue}`);
      expect(upward(spans, delivery).map(({ name }) => name)).toEqual(['plan step', 'process plan', 'publish plan', 'POST /v1/plans']);
      for (const name of inside) expect(below(spans, delivery).map((span) => span.name)).toContain(name);
      expect(delivery.attributes['writ.plan.id']).toBe(body['plan_id'] ?? body['id']);
    }
    expect(spans.filter((span) => span.traceId === traceId && span.name === 'derive lease')).toHaveLength(2);
    const call = only(spans, traceId, 'call test.http');
    expect(call.attributes).toMatchObject({ 'writ.tool': 'test.http', 'writ.operation': 'send', 'writ.answer': 'ok' });
    const heard = parseTraceparent(writ.tool.seen.at(-1)?.headers['traceparent']);
    expect(heard).toEqual({ traceId, spanId: call.spanId, sampled: true });
    const log = await writ.logged((line) => line.includes('"taskId":"s-') && line.includes('"queue":"tool-test-http"'));
    const line = log.split('\n').find((one) => one.includes('"queue":"tool-test-http"')) ?? '';
    expect(line).toContain(`"traceId":"${traceId}"`);
    expect(line).toMatch(/"planId":"[0-9a-f]{64}"/);
  });

  it('goes on when a person retries: a further delivery below the same push', async () => {
    const traceId = newTrace();
    const first = await writ.api('POST', '/v1/tasks?sign=true', { manifest: copy('late') }, { ...WAIT, traceparent: parentOf(traceId) });
    expect(first.body).toMatchObject({ state: 'failure' });
    file('late');
    expect((await writ.api('POST', '/v1/tasks/late/retry', {}, WAIT)).status).toBeLessThan(300);
    const spans = await writ.collector.until(ended(traceId, 2));
    const deliveries = spans.filter((span) => span.traceId === traceId && span.name === 'process file');
    const publish = only(spans, traceId, 'publish file');
    expect(deliveries.map(({ parentSpanId }) => parentSpanId)).toEqual([publish.spanId, publish.spanId]);
    expect(deliveries.map(({ attributes }) => attributes['writ.end']).sort()).toEqual(['FAILURE', 'SUCCESS']);
    const failed = deliveries.find(({ failed: isFailed }) => isFailed);
    expect([failed?.attributes['error.type'], failed?.statusMessage ?? '', failed?.events]).toEqual(['EXECUTION_FAILED', '', 0]);
    // The wait of the first attempt only.
    expect(spans.filter((span) => span.traceId === traceId && span.name === 'wait file')).toHaveLength(1);
  });

  it('begins at the command line, one for each task, and ends with the command', async () => {
    for (const name of ['c1', 'c2']) file(name);
    const lines = ['c1', 'c2'].map((name) => JSON.stringify(copy(name))).join('\n');
    expect((await writ.writ(['push', '-', '--sign', '--wait'], lines)).code).toBe(0);
    const spans = await writ.collector.until((all) =>
      ['c1', 'c2'].every((id) => all.some((span) => span.attributes['writ.task.id'] === id && span.name === 'process file')),
    );
    const created = ['c1', 'c2'].map((id) => spans.find((span) => span.role === 'cli' && span.attributes['writ.task.id'] === id));
    const pushes = new Set(spans.filter((span) => span.role === 'cli' && span.name === 'publish').map(({ spanId }) => spanId));
    expect(created.map((span) => span?.name)).toEqual(['create file', 'create file']);
    expect(created.map((span) => pushes.has(span?.links[0]?.spanId ?? ''))).toEqual([true, true]);
    expect(new Set(created.map((span) => span?.traceId)).size).toBe(2);
    for (const [at, id] of ['c1', 'c2'].entries()) {
      const delivery = spans.find((span) => span.name === 'process file' && span.attributes['writ.task.id'] === id);
      expect(delivery?.parentSpanId).toBe(created[at]?.spanId);
    }
  });

  it('that is none is ignored and counted, in the header of a request and in a job', async () => {
    const before = await writ.metrics();
    for (const name of ['g1', 'g2']) file(name);
    const header = await writ.api('POST', '/v1/tasks?sign=true', { manifest: copy('g1') }, { ...WAIT, traceparent: '00-zz' });
    const issued = await writ.api('POST', '/v1/leases', { manifest: copy('g2') });
    await writ.raw('file', { v: 1, manifest: copy('g2'), lease: issued.body['lease'], traceparent: 'ff-garbage' });
    expect([header.status, header.body['state']]).toEqual([200, 'success']);
    const spans = await writ.collector.until((all) => all.some((span) => span.attributes['writ.task.id'] === 'g2' && span.name === 'process file'));
    expect(spans.find((span) => span.attributes['writ.task.id'] === 'g2' && span.name === 'process file')?.parentSpanId).toBeUndefined();
    const after = await writ.metrics();
    const grown = (source: string) =>
      total(after, 'writ_trace_contexts_ignored_total', { source }) - total(before, 'writ_trace_contexts_ignored_total', { source });
    expect([grown('http'), grown('job')]).toEqual([1, 1]);
  });
});

describe('a log', () => {
  it('has no secret and no payload of a hostile job', async () => {
    const secret = `hunter2-${randomBytes(8).toString('hex')}`;
    const lease = `eyJhbGciOiJFZERTQSJ9.${Buffer.from(secret).toString('base64url')}.c2lnbmF0dXJl`;
    const inputs = { source_path: `/no/${secret}`, password: secret, [secret]: secret };
    await writ.raw('file', { v: 1, manifest: { ...copy('h1'), inputs }, lease });
    await writ.raw('file', { v: 1, manifest: { ...copy('h2'), [secret]: 1 }, lease });
    await writ.raw('file', { v: 1, manifest: copy('h3'), lease, [secret]: { lease } });
    await writ.raw('file', { v: 1, manifest: { ...copy('h4'), constraints: { [secret]: 1 } }, lease, traceparent: secret });
    await writ.raw('plan', { v: 1, envelope: { [secret]: secret }, lease, traceparent: secret });
    await writ.logged((line) => line.includes('"queue":"plan"') && line.includes('"refused"'));
    await writ.logged((line) => line.includes('"taskId":"h1"'));
    const log = await writ.logged((line) => line.includes('"malformed"'), 2);
    expect(log).not.toContain(secret);
    expect(log).not.toContain(lease);
    expect(log).not.toContain(Buffer.from(secret).toString('base64url'));
  });
});

describe('a collector that does not answer', () => {
  it('delays no task; what it does not take is dropped and counted, and it gets spans again when it is back', async () => {
    const run = async (prefix: string): Promise<void> => {
      const names = Array.from({ length: 60 }, (_, at) => `${prefix}${at}`);
      for (const name of names) file(name);
      const answers = await Promise.all(names.map((name) => writ.api('POST', '/v1/tasks?sign=true', { manifest: copy(name) }, WAIT)));
      expect(answers.map(({ body }) => body['state'])).toEqual(names.map(() => 'success'));
    };
    await run('good');
    writ.collector.behave('hang');
    await run('hang');
    // All of them were done while the collector had answered nothing, and nobody had given it up: that takes a minute each.
    await expect.poll(() => writ.collector.waiting).toBeGreaterThan(0);
    writ.collector.behave('refuse');
    await run('refuse');
    const metrics = await writ.metrics();
    expect(total(metrics, 'writ_trace_spans_dropped_total', { role: 'worker' })).toBeGreaterThan(0);
    const reasons = samplesOf(metrics).filter(({ name, value }) => name === 'writ_trace_spans_dropped_total' && value > 0);
    expect(new Set(reasons.map(({ labels }) => labels['reason']))).toContain('export_failed');
    expect(await writ.logged((line) => line.includes('spans cannot be sent'))).not.toContain('of-the-collector');

    writ.collector.behave('take');
    file('back');
    await writ.api('POST', '/v1/tasks?sign=true', { manifest: copy('back') }, WAIT);
    await writ.collector.until((spans) => spans.some((span) => span.attributes['writ.task.id'] === 'back' && span.name === 'process file'));
  });
});

function upward(spans: readonly Received[], span: Received): readonly Received[] {
  const parent = spans.find(({ spanId, traceId }) => spanId === span.parentSpanId && traceId === span.traceId);
  return parent === undefined ? [] : [parent, ...upward(spans, parent)];
}

function below(spans: readonly Received[], span: Received): readonly Received[] {
  return spans.filter(({ parentSpanId }) => parentSpanId === span.spanId).flatMap((child) => [child, ...below(spans, child)]);
}
