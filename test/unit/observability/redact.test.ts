import { Writable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WritError } from '../../../src/core/errors.ts';
import { type DeliveryReport, logDelivery } from '../../../src/observability/deliveries.ts';
import { createLogger, type Logger, showTraces } from '../../../src/observability/logging.ts';
import { logPlan, type PlanReport } from '../../../src/observability/plans.ts';
import { cleanText, errorForLog, messageForLog } from '../../../src/observability/redact.ts';
import { readsInProportion } from '../../support/growth.ts';

const SECRET = 'hunter2-0123456789abcdef';
const LEASE = 'eyJhbGciOiJFZERTQSJ9.eyJ2IjoxfQ.c2lnbmF0dXJlLW9mLWEtbGVhc2U';

function logged(traces = false) {
  const lines: string[] = [];
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const log = createLogger('debug', 'worker', { traces, destination });
  return { log, text: () => lines.join(''), last: () => JSON.parse(lines.at(-1) ?? '{}') as Record<string, unknown> };
}

const report: DeliveryReport = {
  queue: 'file',
  jobId: 't_a',
  taskId: 'a',
  planId: 'f'.repeat(64),
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  capability: 'FILE_MOVE',
  end: 'SUCCESS',
  code: undefined,
  message: '',
  ms: 1.23456,
  takeovers: 0,
  replayed: false,
  attempt: { addedAt: 0, fetchedAt: 0, started: 1, failed: 0, failures: 0 },
  endedAt: 0,
};

describe('a log line', () => {
  it('of a delivery carries task, plan and trace, whether spans are made or not', () => {
    for (const traces of [false, true]) {
      const { log, last } = logged(traces);
      logDelivery(log, report);
      expect(last()).toMatchObject({ msg: 'delivery', taskId: 'a', planId: 'f'.repeat(64), traceId: report.traceId, role: 'worker' });
    }
  });

  it('within a span carries its trace, also where the job names none', () => {
    const { log, last } = logged(true);
    showTraces(log, () => 'the-active-one');
    logDelivery(log, { ...report, traceId: undefined });
    expect(last()).toMatchObject({ traceId: 'the-active-one' });
    log.warn('metrics');
    expect(last()).toMatchObject({ msg: 'metrics', traceId: 'the-active-one' });
    logDelivery(log, report);
    expect(last()).toMatchObject({ traceId: report.traceId });
  });

  it.each(['lease', 'password', 'key', 'secret', 'token', 'authorization', 'manifest', 'inputs', 'envelope', 'params', 'body', 'data', 'result'])(
    'withholds what stands under %s, also one level below',
    (name) => {
      const { log, text } = logged();
      log.warn({ [name]: SECRET, inner: { [name]: { deep: SECRET } } }, 'redis');
      expect(text()).not.toContain(SECRET);
      expect(text()).toContain('[redacted]');
    },
  );

  it('has nothing of them at any depth, whatever object carries them, and says where it was cut', () => {
    class Carrier {
      readonly lease = SECRET;
      readonly list = [{ token: SECRET, kept: 1 }];
    }
    const { log, text, last } = logged();
    log.warn({ a: new Carrier(), b: Object.assign(Object.create(null), { key: SECRET }), c: { d: { e: { f: { lease: SECRET } } } }, at: new Date(0) }, 'odd');
    expect(text()).not.toContain(SECRET);
    expect(last()).toMatchObject({ a: { list: [{ kept: 1 }] }, b: { key: '[redacted]' }, c: { d: { e: { f: '[cut]' } } }, at: '1970-01-01T00:00:00.000Z' });
    log.warn({ cause: Object.assign(new Error('Bearer abcdefgh'), { command: SECRET }) }, 'odd');
    expect(text()).not.toContain(SECRET);
    expect(last()).toMatchObject({ cause: { type: 'Error', message: 'Bearer [redacted]' } });
  });

  it('about an error of Redis has nothing of the command that failed', () => {
    const { log, text, last } = logged();
    const error = Object.assign(new Error(`WRONGPASS for redis://user:${SECRET}@host`), {
      code: 'WRONGPASS',
      command: { name: 'evalsha', args: [SECRET, LEASE] },
    });
    log.warn({ err: error }, 'redis');
    expect(text()).not.toContain(SECRET);
    expect(text()).not.toContain(LEASE);
    expect(last()['err']).toMatchObject({ type: 'Error', code: 'WRONGPASS', message: 'WRONGPASS for redis://[redacted]@host' });
    logDelivery(log, { ...report, end: 'crashed', error: Object.assign(new Error(`lease ${LEASE}`), { job: SECRET }) });
    expect(text()).not.toContain(SECRET);
    expect(text()).not.toContain(LEASE);
  });
});

describe('a message in the log', () => {
  it.each([
    ['a lease', `the lease ${LEASE} is none`, 'the lease [redacted] is none'],
    ['a key of the API', 'the key writ_abc.def0123456789', 'the key [redacted]'],
    ['a header', `authorization: Bearer ${SECRET}`, 'authorization: [redacted] [redacted]'],
    ['a password in an address', `rediss://:${SECRET}@h:1/0`, 'rediss://[redacted]@h:1/0'],
    ['an assignment', `requirepass=${SECRET}, next`, 'requirepass=[redacted], next'],
    ['control characters', 'a\u001b[31m\r\nb\u2028c', 'a [31m b c'],
  ])('is without %s', (_what, text, clean) => {
    expect(cleanText(text)).not.toContain(SECRET);
    if (!text.includes('Bearer')) expect(cleanText(text)).toBe(clean);
  });

  it('is short, whatever was said', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 5000 }), (text) => void expect(cleanText(text).length).toBeLessThanOrEqual(501)),
      { numRuns: 30 },
    );
  });

  it.each(['eyJ', 'eyJaaaa.', '://a', 'secret=', 'token', '"', 'Bearer ', ' '])('is made in time in proportion to what was said, also of many %j', (piece) => {
    expect(readsInProportion(cleanText, piece, 1_600_000)).toBe(true);
  });

  it('about a job that is none has no names and words of whoever wrote it', () => {
    const of = (message: string) => messageForLog('malformed', undefined, message);
    expect(of(`job: Unrecognized key: "${SECRET}"`)).toBe('job: Unrecognized key: "…"');
    expect(of(`manifest.inputs.${SECRET}: Invalid input`)).toBe('manifest.inputs.…: Invalid input');
    expect(of(`manifest.${SECRET}: has two equal keys`)).toBe('manifest.…: has two equal keys');
    expect(of('manifest.task_id: Invalid input: expected string, received undefined')).toBe(
      'manifest.task_id: Invalid input: expected string, received undefined',
    );
  });

  it('about a tool that failed does not repeat what the tool said', () => {
    expect(messageForLog('FAILURE', 'TOOL_FAILED', `the tool answered 500: ${SECRET}`)).toBe('the tool answered 500');
    expect(messageForLog('FAILURE', 'TOOL_OUTCOME_UNKNOWN', `the tool answered 502: ${SECRET}; nobody can tell`)).toBe('the tool answered 502');
    expect(messageForLog('FAILURE', 'EXECUTION_FAILED', 'the source does not exist')).toBe('the source does not exist');
  });
});

const planReport: PlanReport = {
  queue: 'plan',
  jobId: 'p_a',
  planSha256: 'f'.repeat(64),
  end: 'crashed',
  code: undefined,
  message: undefined,
  ms: 1,
  replayed: false,
};

describe('an error in the log', () => {
  it.each<[string, (log: Logger, error: unknown) => void]>([
    ['a delivery that crashed', (log, error) => logDelivery(log, { ...report, end: 'crashed', error })],
    ["a plan's delivery that crashed", (log, error) => logPlan(log, { ...planReport, error })],
    ['a line of any role', (log, error) => log.warn({ err: error }, 'redis')],
    ['a line of a child of the logger', (log, error) => log.child({ reqId: 'r' }).warn({ err: error }, 'redis')],
    ['a line that names it otherwise', (log, error) => log.warn({ err: error, cause: error }, 'redis')],
    ['the error itself instead of a line', (log, error) => log.warn(error)],
  ])('of %s has its type, message, code and places once', (_what, tell) => {
    const { log, last } = logged();
    for (const [error, says] of [
      [new WritError('STORAGE_UNAVAILABLE', 'the disk is full'), { type: 'WritError', code: 'STORAGE_UNAVAILABLE', message: 'the disk is full' }],
      [Object.assign(new RangeError('too far'), { code: 'ERANGE' }), { type: 'RangeError', code: 'ERANGE', message: 'too far' }],
      [new TypeError('is no function'), { type: 'TypeError', message: 'is no function' }],
    ] as const) {
      tell(log, error);
      const { stack, ...err } = last()['err'] as Record<string, unknown>;
      expect(err).toEqual(says);
      expect(stack).toMatch(/^\s+at /);
      expect(String(stack)).not.toContain(error.message);
    }
  });

  it('is its code, its message and the places, never more', () => {
    expect(errorForLog(new WritError('INTERNAL', `broken: ${LEASE}`))).toEqual({
      type: 'WritError',
      code: 'INTERNAL',
      message: 'broken: [redacted]',
      stack: expect.stringMatching(/^\s+at /),
    });
    expect(JSON.stringify(errorForLog(Object.assign(new TypeError(SECRET.slice(0, 3)), { cause: SECRET, args: [SECRET] })))).not.toContain(SECRET);
    expect(errorForLog({ secret: SECRET })).toEqual({ type: 'object' });
    expect(errorForLog(`Bearer ${SECRET}`)).toBe('Bearer [redacted]');
  });
});
