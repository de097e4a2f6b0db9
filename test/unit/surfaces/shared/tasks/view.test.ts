import { describe, expect, it } from 'vitest';
import type { JobState, JobView } from '../../../../../src/core/ports/index.ts';
import type { FinishedTask } from '../../../../../src/surfaces/shared/tasks/stored-outcome.ts';
import { taskViewOf } from '../../../../../src/surfaces/shared/tasks/view.ts';

const job = (state: JobState, attemptsMade: number): JobView => ({
  queue: 'file',
  jobId: 't_t',
  state,
  data: {},
  failedReason: undefined,
  attemptsMade,
  addedAt: 0,
});
const finished = (view: JobView): FinishedTask => ({
  state: 'finished',
  result: '{}',
  outcome: { status: 'SUCCESS', output: {}, error: null, signature: 's' },
  from: 'ledger',
  manifestSha256: '',
  job: view,
});
const attempts = (standing: Parameters<typeof taskViewOf>[1]) => taskViewOf('t', standing, { peek: () => undefined }).attempts;

describe('the tries that a task is shown with', () => {
  it('count the one that gave the outcome, also in the moment before its job has ended', () => {
    expect(attempts(finished(job('active', 0)))).toBe(1);
    expect(attempts(finished(job('active', 2)))).toBe(3);
    expect(attempts(finished(job('completed', 1)))).toBe(1);
    expect(attempts(finished(job('failed', 3)))).toBe(3);
  });

  it('are not told beside an outcome that is older than the job', () => {
    expect(attempts(finished(job('waiting', 0)))).toBeUndefined();
  });

  it('are those that have ended while it waits or runs', () => {
    expect(attempts({ state: 'waiting', since: 0, detail: '', cancelRequested: false, job: job('waiting', 0) })).toBe(0);
    expect(attempts({ state: 'running', since: 0, owner: '', cancelRequested: false, job: job('active', 1) })).toBe(1);
  });
});
