import { describe, expect, it } from 'vitest';
import type { DeliveryEnd } from '../../../processors/settle.ts';
import { settle } from '../../../processors/settle.ts';

const once = { started: 1, allowed: 1 };
const failed = (code: string): DeliveryEnd => ({ kind: 'answered', status: 'FAILURE', code, message: 'm', result: '{}', replayed: false });

describe('settle', () => {
  it('completes a SUCCESS with its status and the digest of the exact result', () => {
    // sha256 of `{}`, by sha256sum
    const digest = '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a';
    expect(settle({ kind: 'answered', status: 'SUCCESS', code: undefined, message: '', result: '{}', replayed: false }, once)).toEqual({
      kind: 'complete',
      value: { status: 'SUCCESS', result_sha256: digest },
    });
  });

  it.each(['UNSUPPORTED_CAPABILITY', 'INVALID_LEASE', 'LEASE_EXPIRED', 'EXECUTION_FAILED', 'RESOURCE_EXHAUSTED'])(
    'fails a job with `%s: sentence`, for good unless the producer asked for attempts',
    (code) => {
      expect(settle(failed(code), once)).toEqual({ kind: 'fail', message: `${code}: m`, recoverable: false });
    },
  );

  it('leaves a retryable code to the attempts that the producer asked for', () => {
    const asked = { started: 1, allowed: 3 };
    expect(settle(failed('EXECUTION_FAILED'), asked)).toMatchObject({ recoverable: true });
    expect(settle(failed('RESOURCE_EXHAUSTED'), asked)).toMatchObject({ recoverable: true });
    expect(settle(failed('LEASE_EXPIRED'), asked)).toMatchObject({ recoverable: false });
    expect(settle(failed('UNSUPPORTED_CAPABILITY'), asked)).toMatchObject({ recoverable: false });
  });

  it('runs a cancelled task no further, however many attempts its producer asked for', () => {
    const cancelled = { kind: 'answered', status: 'FAILURE', code: 'EXECUTION_FAILED', message: 'cancelled', result: '{}', replayed: false } as const;
    expect(settle(cancelled, { started: 1, allowed: 9 })).toEqual({ kind: 'fail', message: 'EXECUTION_FAILED: cancelled', recoverable: false });
    expect(settle({ ...cancelled, replayed: true }, { started: 2, allowed: 9 })).toMatchObject({ recoverable: false });
  });

  it('leaves an end of which nobody knows what was done to somebody who looks, however many attempts were asked for', () => {
    const unknown = { kind: 'answered', status: 'FAILURE', code: 'EXECUTION_FAILED', message: '', result: '{}', replayed: false } as const;
    for (const message of [
      'outcome unknown: after a crash the files are not where this operation can have put them',
      "the source's name could not be removed (EIO)",
    ])
      expect(settle({ ...unknown, message }, { started: 1, allowed: 9 })).toMatchObject({ kind: 'fail', recoverable: false });
  });

  it('never retries a malformed job, a refused lease or a conflict', () => {
    const asked = { started: 1, allowed: 9 };
    expect(settle({ kind: 'malformed', message: 'manifest.task_id: is missing' }, asked)).toEqual({
      kind: 'fail',
      message: 'INVALID_MANIFEST: manifest.task_id: is missing',
      recoverable: false,
    });
    expect(settle({ kind: 'refused', code: 'INVALID_LEASE', message: 'm', result: '{}' }, asked)).toEqual({
      kind: 'fail',
      message: 'INVALID_LEASE: m',
      recoverable: false,
    });
  });

  it('delays a busy task 1 s, doubling to 15 s', () => {
    const delays = [1, 2, 3, 4, 5, 6, 60].map((started) => settle({ kind: 'busy', why: '' }, { started, allowed: 1 }));
    expect(delays.map((action) => (action.kind === 'delay' ? action.ms : -1))).toEqual([1000, 2000, 4000, 8000, 15000, 15000, 15000]);
  });

  it('gives an interrupted job back: at once on shutdown, after a second otherwise', () => {
    expect(settle({ kind: 'interrupted', reason: 'shutdown' }, once)).toEqual({ kind: 'delay', ms: 0 });
    expect(settle({ kind: 'interrupted', reason: 'lock-lost' }, once)).toEqual({ kind: 'delay', ms: 1000 });
    expect(settle({ kind: 'interrupted', reason: 'stale' }, once)).toEqual({ kind: 'delay', ms: 1000 });
  });
  it('tries a task again whose run crashed, after as long as a busy one', () => {
    const delays = [1, 2, 9].map((started) => settle({ kind: 'crashed', error: new Error('m') }, { started, allowed: 1 }));
    expect(delays).toEqual([1000, 2000, 15000].map((ms) => ({ kind: 'delay', ms })));
  });
});
