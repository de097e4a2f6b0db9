import { describe, expect, it } from 'vitest';
import type { TaskJob } from '../../../../src/contracts/index.ts';
import { WritError } from '../../../../src/core/errors.ts';
import { failure, success } from '../../../../src/core/outcome.ts';
import type { BoundTool, Enqueue, PushOptions, TaskExecutor } from '../../../../src/core/ports/index.ts';
import { parseTraceparent } from '../../../../src/core/trace-context.ts';
import { observePushes } from '../../../../src/observability/pushes.ts';
import { ATTRIBUTES, SPANS, type SpanRow } from '../../../../src/observability/spans.ts';
import { traceCalls } from '../../../../src/observability/tracing/calls.ts';
import { traceDeliveries, traceDelivery } from '../../../../src/observability/tracing/deliveries.ts';
import { traceExecutor } from '../../../../src/observability/tracing/executors.ts';
import { traceTools } from '../../../../src/observability/tracing/tools.ts';
import { keepingTracer } from '../../../support/spans.ts';

const PARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const UNSAMPLED = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00';

const jobOf = (taskId: string, traceparent?: string): TaskJob => ({
  v: 1,
  manifest: { task_id: taskId, capability_id: 'FILE_COPY', inputs: {}, constraints: {} },
  ...(traceparent === undefined ? {} : { traceparent }),
});

function recordingEnqueue() {
  const pushed: TaskJob[] = [];
  const enqueue: Enqueue = {
    push: async (job) => {
      pushed.push(job);
      return { kind: 'accepted', taskId: job.manifest.task_id, queue: 'file', jobId: `t_${job.manifest.task_id}` };
    },
    pushMany: async (jobs, options?: PushOptions) => Promise.all(jobs.map((job) => enqueue.push(job, options))),
    retry: async () => ({ kind: 'retried' }),
    jobState: async () => undefined,
  };
  return { pushed, enqueue };
}

const PUSHES = { queueOf: () => 'file', prefer: 'job' } as const;

describe('the contract of spans', () => {
  it.each(Object.entries<SpanRow>(SPANS))('%s is explained in a sentence and has known attributes', (_key, { help, attributes, name }) => {
    expect(help).toMatch(/^[A-Z].*\.$/);
    for (const attribute of attributes) expect(ATTRIBUTES).toHaveProperty([attribute]);
    for (const [, filled = ''] of name.matchAll(/\{([a-z._]+)\}/g)) expect(attributes).toContain(filled);
  });
});

describe('a tracer that is off', () => {
  it('leaves every port as it is: nobody pays', async () => {
    const { enqueue } = recordingEnqueue();
    expect(observePushes(enqueue, { trace: { tracer: undefined, ...PUSHES } })).toBe(enqueue);
    const executorOf = (): TaskExecutor => ({ capabilities: new Set(), maxRunMs: 1, execute: async () => ({ kind: 'outcome', outcome: success({}) }) });
    expect(traceExecutor(executorOf, undefined)).toBe(executorOf);
    const tools = new Map<string, BoundTool>();
    expect(traceTools(tools, undefined, true)).toBe(tools);
    expect(traceCalls(enqueue, { push: 'publish' }, undefined)).toBe(enqueue);
    const work = Promise.resolve(1);
    expect(traceDeliveries(undefined)({ data: {}, queue: 'file', jobId: '1', attempt: attempt() }, () => work)).toBe(work);
  });
});

function attempt(changes: object = {}) {
  return { addedAt: 1_000, fetchedAt: 1_500, started: 1, failed: 0, failures: 0, ...changes };
}

describe('a push', () => {
  it('goes on in the trace that the producer brought, and its span travels in the job', async () => {
    const { tracer, spans } = keepingTracer();
    const { pushed, enqueue } = recordingEnqueue();
    await observePushes(enqueue, { trace: { tracer, ...PUSHES } }).push(jobOf('a', PARENT));
    const [span] = spans;
    expect(span?.spanContext().traceId).toBe(parseTraceparent(PARENT)?.traceId);
    expect(span?.parentSpanContext?.spanId).toBe(parseTraceparent(PARENT)?.spanId);
    expect(parseTraceparent(pushed[0]?.traceparent)?.spanId).toBe(span?.spanContext().spanId);
    expect(span?.name).toBe('publish file');
    expect(span?.attributes).toMatchObject({ 'writ.task.id': 'a', 'messaging.message.id': 't_a', 'writ.answer': 'accepted' });
  });

  it('begins a trace when there is none, or the one that came is none', async () => {
    for (const traceparent of [undefined, 'garbage']) {
      const { tracer, spans } = keepingTracer();
      const { pushed, enqueue } = recordingEnqueue();
      await observePushes(enqueue, { trace: { tracer, ...PUSHES } }).push(jobOf('a', traceparent));
      expect(spans[0]?.parentSpanContext).toBeUndefined();
      expect(parseTraceparent(pushed[0]?.traceparent)?.traceId).toBe(spans[0]?.spanContext().traceId);
    }
  });

  it('keeps a decision against recording: the context travels on, and there is no span', async () => {
    const { tracer, spans } = keepingTracer();
    const { pushed, enqueue } = recordingEnqueue();
    await observePushes(enqueue, { trace: { tracer, ...PUSHES } }).push(jobOf('a', UNSAMPLED));
    expect(spans).toEqual([]);
    expect(parseTraceparent(pushed[0]?.traceparent)).toMatchObject({ traceId: parseTraceparent(UNSAMPLED)?.traceId, sampled: false });
  });

  it('of many gives each task a trace of its own, linked to the push', async () => {
    const { tracer, spans, named } = keepingTracer();
    const { pushed, enqueue } = recordingEnqueue();
    await observePushes(enqueue, { trace: { tracer, ...PUSHES } }).pushMany([jobOf('a'), jobOf('b', PARENT)]);
    const publish = named('publish');
    const created = spans.filter(({ name }) => name === 'create file');
    expect(created.map((span) => span.links[0]?.context.spanId)).toEqual([publish.spanContext().spanId, publish.spanContext().spanId]);
    expect(new Set([publish, ...created].map((span) => span.spanContext().traceId)).size).toBe(3);
    expect(pushed.map(({ traceparent }) => parseTraceparent(traceparent)?.spanId)).toEqual(created.map((span) => span.spanContext().spanId));
    expect(created[1]?.spanContext().traceId).toBe(parseTraceparent(PARENT)?.traceId);
    expect(publish.attributes['messaging.batch.message_count']).toBe(2);
  });

  it('that is refused ends as an error of its code, without its message', async () => {
    const { tracer, spans } = keepingTracer();
    const { enqueue } = recordingEnqueue();
    const full: Enqueue = { ...enqueue, push: () => Promise.reject(new WritError('REDIS_FULL', 'a secret sentence')) };
    await expect(observePushes(full, { trace: { tracer, ...PUSHES } }).push(jobOf('a'))).rejects.toThrow('secret');
    expect(spans[0]?.attributes['error.type']).toBe('REDIS_FULL');
    expect(JSON.stringify([spans[0]?.status, spans[0]?.events, spans[0]?.attributes])).not.toContain('secret');
  });
});

describe('a delivery', () => {
  it('is below the push, with the wait before its first attempt and none before others', async () => {
    const { tracer, spans, named } = keepingTracer();
    const around = traceDeliveries(tracer);
    const job = { data: jobOf('a', PARENT), queue: 'file', jobId: 't_a' };
    await around({ ...job, attempt: attempt() }, async () => 1);
    const parent = parseTraceparent(PARENT)?.spanId;
    expect([named('wait file'), named('process file')].map((span) => span.parentSpanContext?.spanId)).toEqual([parent, parent]);
    expect(named('wait file').duration).toEqual([0, 500_000_000]);
    await around({ ...job, attempt: attempt({ started: 2 }) }, async () => 1);
    expect(spans.map(({ name }) => name)).toEqual(['wait file', 'process file', 'process file']);
  });

  it.each([
    ['no object', 7],
    ['null', null],
    ['a context that is none', { traceparent: 'garbage' }],
    ['an object in its place', { traceparent: { toString: null } }],
  ])('of a job with %s begins a trace', async (_what, data) => {
    const { tracer, spans } = keepingTracer();
    await traceDeliveries(tracer)({ data, queue: 'file', jobId: '1', attempt: attempt() }, async () => 1);
    expect(spans.map(({ name, parentSpanContext }) => [name, parentSpanContext])).toEqual([['process file', undefined]]);
  });

  it('tells its end, and what its ports answered, below it', async () => {
    const { tracer, named } = keepingTracer();
    const ledger = traceCalls({ claim: async () => ({ kind: 'takeover' }), other: 1 }, { claim: 'claim' }, tracer);
    const executor: TaskExecutor = {
      capabilities: new Set(['FILE_COPY']),
      maxRunMs: 1,
      execute: async () => ({ kind: 'outcome', outcome: failure('EXECUTION_FAILED', 'with /a/path') }),
    };
    const { manifest } = jobOf('a');
    const task = { manifest, manifestSha256: '', epoch: 1, authority: { jti: '', exp: 0, kid: '' } };
    await traceDeliveries(tracer)({ data: {}, queue: 'file', jobId: '1', attempt: attempt() }, async () => {
      await ledger.claim();
      await traceExecutor(() => executor, tracer)('FILE_COPY').execute(task, { signal: new AbortController().signal, gate: () => undefined });
      traceDelivery(tracer, { ...report, end: 'FAILURE', code: 'EXECUTION_FAILED', message: 'with /a/path' });
    });
    const process = named('process file');
    expect([named('claim'), named('execute FILE_COPY')].map((span) => span.parentSpanContext?.spanId)).toEqual(Array(2).fill(process.spanContext().spanId));
    expect(named('claim').attributes['writ.answer']).toBe('takeover');
    expect(named('execute FILE_COPY').attributes).toMatchObject({ 'error.type': 'EXECUTION_FAILED', 'writ.capability': 'FILE_COPY' });
    expect(process.attributes).toMatchObject({ 'writ.task.id': 'a', 'writ.end': 'FAILURE', 'error.type': 'EXECUTION_FAILED', 'writ.capability': 'other' });
    expect(JSON.stringify([process.attributes, process.status])).not.toContain('path');
    expect(ledger.other).toBe(1);
  });
});

const report = {
  queue: 'file',
  jobId: '1',
  taskId: 'a',
  capability: 'A capability that nobody knows',
  ms: 1,
  takeovers: 0,
  replayed: false,
  attempt: attempt(),
  endedAt: 0,
};

describe('a call of a tool', () => {
  it.each([true, false])('has a span, and is told its context when that is wanted: %s', async (tell) => {
    const { tracer, named } = keepingTracer();
    const heard: (string | undefined)[] = [];
    const send = async (_signal: AbortSignal, traceparent?: string) => {
      heard.push(traceparent);
      return { kind: 'unclear', message: 'secret' } as const;
    };
    const tool: BoundTool = { timeoutMs: 1, effects: new Map(), adapter: { prepare: async () => ({ kind: 'ready', send }) } };
    const traced = traceTools(new Map([['mail', tool]]), tracer, tell).get('mail');
    const { signal } = new AbortController();
    const prepared = await traced?.adapter.prepare({ taskId: 'a', operation: 'send', params: {} }, signal);
    if (prepared?.kind === 'ready') await prepared.send(signal);
    const span = named('call mail');
    expect(span.attributes).toEqual({ 'writ.tool': 'mail', 'writ.operation': 'send', 'writ.answer': 'unclear', 'error.type': 'unclear' });
    expect(parseTraceparent(heard[0])?.spanId).toBe(tell ? span.spanContext().spanId : undefined);
  });
});

describe('the share of traces that is recorded', () => {
  it('is drawn where a trace begins', async () => {
    const { tracer, spans } = keepingTracer(0);
    const { pushed, enqueue } = recordingEnqueue();
    const traced = observePushes(enqueue, { trace: { tracer, ...PUSHES } });
    await traced.push(jobOf('a'));
    expect([spans.length, parseTraceparent(pushed[0]?.traceparent)?.sampled]).toEqual([0, false]);
    await traced.push(jobOf('b', PARENT));
    expect(spans.length).toBe(1);
  });
});
