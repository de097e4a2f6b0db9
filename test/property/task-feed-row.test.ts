import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JobFields, taskOfJob } from '../../queues/task-feed-row.ts';
import { SHOWN_STATES, TaskRecord } from '../../src/contracts/index.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme-composite', maxLength: 60 }),
  fc.string({ minLength: 5000, maxLength: 6000 }),
);
const field = fc.option(fc.oneof(text, fc.integer().map(String), fc.constant('99999999999999999999')));
const like = fc.record(
  {
    v: fc.anything(),
    manifest: fc.oneof(fc.anything(), fc.record({ task_id: fc.oneof(text, fc.anything()), capability_id: fc.anything() })),
    lease: fc.oneof(text, fc.constant('a.e30.c'), fc.constant('..')),
  },
  { requiredKeys: [] },
);
const task = fc
  .record({
    source: text,
    destination: fc.anything(),
    plan: fc.string({ maxLength: 64 }),
    lease: fc.constantFrom('', 'a.b', `x.${Buffer.from('{"exp":1e300}').toString('base64url')}.y`, `x.${Buffer.from('{"exp":12}').toString('base64url')}.y`),
  })
  .map(({ source, destination, plan, lease }) => ({
    v: 1,
    manifest: {
      task_id: 't',
      capability_id: 'FILE_MOVE',
      inputs: { source_path: source, destination_path: destination },
      constraints: {},
      provenance: { plan_sha256: plan },
    },
    lease,
  }));
const json = fc.oneof(like, task).map((value) => {
  try {
    return JSON.stringify(value);
  } catch {
    return '{';
  }
});
const job: fc.Arbitrary<JobFields> = fc.record({
  queue: fc.constant('file'),
  jobId: text,
  data: fc.oneof(json, text, fc.constant(undefined), fc.constant('['.repeat(100_000))),
  name: field,
  failedReason: field,
  timestamp: field,
  processedOn: field,
  finishedOn: field,
  attempts: field,
});

describe('the row of a job that anybody may have written', () => {
  it('is always a good record: short, printable, with times that exist', () => {
    fc.assert(
      fc.property(job, fc.constantFrom(...SHOWN_STATES), fc.option(fc.nat(), { nil: undefined }), (fields, state, at) => {
        const row = taskOfJob(fields, { state, at, seenAt: 1000 });
        for (const value of Object.values({ ...row, jobId: '' })) {
          if (typeof value === 'string') expect(value).not.toMatch(/[\p{Cc}\p{Cs}]/u);
        }
        const record = {
          task_id: row.taskId,
          capability_id: row.capabilityId,
          queue: row.queue,
          state: row.state,
          ...(row.errorCode === undefined ? {} : { error_code: row.errorCode }),
          ...(row.sourcePath === undefined ? {} : { source_path: row.sourcePath }),
          ...(row.leaseExpiresAt === undefined ? {} : { lease_expires_at: new Date(row.leaseExpiresAt).toISOString() }),
          attempts: row.attempts,
          submitted_at: new Date(row.submittedAt).toISOString(),
          updated_at: new Date(row.updatedAt).toISOString(),
        };
        expect(TaskRecord.parse(record)).toEqual(record);
        expect(row.taskId.length).toBeLessThanOrEqual(128);
        expect((row.sourcePath ?? '').length + (row.message ?? '').length).toBeLessThanOrEqual(6096);
      }),
      { numRuns: 300 },
    );
  });

  it('names the code and the message of a failure, and shows neither for another state', () => {
    const fields = { queue: 'file', jobId: '1', name: 'FILE_MOVE', timestamp: '5', processedOn: '6', finishedOn: '7', attempts: '2' };
    const data = JSON.stringify({ v: 1, manifest: { task_id: 'a', capability_id: 'FILE_MOVE', inputs: {}, constraints: {} } });
    const of = (failedReason: string, state: (typeof SHOWN_STATES)[number]) =>
      taskOfJob({ ...fields, data, failedReason }, { state, at: undefined, seenAt: 9 });
    expect(of('LEASE_EXPIRED: too\nlate', 'failure')).toMatchObject({
      errorCode: 'LEASE_EXPIRED',
      message: 'too\ufffdlate',
      attempts: 2,
      submittedAt: 5,
      updatedAt: 7,
    });
    expect(of('job stalled more than allowable limit', 'failure')).toMatchObject({ errorCode: undefined, message: 'job stalled more than allowable limit' });
    expect(of('LEASE_EXPIRED: too late', 'waiting')).toMatchObject({ errorCode: undefined, message: undefined, updatedAt: 5 });
  });
});
