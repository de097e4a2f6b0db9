import { describe, expect, it } from 'vitest';
import { WritError } from '../../../../../src/core/errors.ts';
import type { JobState, PlanView } from '../../../../../src/core/ports/index.ts';
import { type FiredPlans, planFirings } from '../../../../../src/surfaces/shared/plans/plan-firings.ts';

const ID = 'a'.repeat(64);
const view = (state: PlanView['state'], code = 'TOOL_FAILED'): PlanView => ({
  ...{ id: ID, state, stepsDone: 0, current: undefined, cancelRequested: false, result: undefined, updated: 0 },
  error: state === 'failure' ? { code, message: '' } : undefined,
});
const NOT_PUSHED: FiredPlans['push'] = () => Promise.reject(new Error('nothing is pushed here'));
const forged = new WritError('INVALID_RESULT', 'nobody has signed it');

describe('the standing of a plan that a schedule has made', () => {
  it.each<[JobState, PlanView | WritError | undefined, object]>([
    ['absent', undefined, { kind: 'unknown' }],
    ['absent', view('waiting'), { kind: 'unknown' }],
    ['absent', view('running'), { kind: 'unknown' }],
    ['absent', view('success'), { kind: 'ended', code: 'SUCCESS' }],
    ['absent', view('failure'), { kind: 'ended', code: 'TOOL_FAILED' }],
    ['absent', forged, { kind: 'unproven' }],
    ['delayed', view('running'), { kind: 'open' }],
    ['waiting', undefined, { kind: 'open' }],
    ['active', view('success'), { kind: 'ended', code: 'SUCCESS' }],
    // Somebody has retried it.
    ['waiting', view('failure'), { kind: 'open' }],
    ['active', forged, { kind: 'open' }],
    ['failed', view('failure', 'INVALID_LEASE'), { kind: 'ended', code: 'INVALID_LEASE' }],
    // Its job was somebody else's, and was refused.
    ['failed', view('waiting'), { kind: 'unproven' }],
    ['completed', undefined, { kind: 'unproven' }],
  ])('with a job that is %s: %o is %o', async (job, seen, standing) => {
    const plans: FiredPlans = {
      push: NOT_PUSHED,
      jobState: async () => job,
      async view() {
        if (seen instanceof WritError) throw seen;
        return seen;
      },
    };
    expect(await planFirings(plans).planStanding(ID)).toEqual(standing);
  });

  it('is unknown to who cannot reach Redis', async () => {
    const away = async () => {
      throw new WritError('REDIS_UNAVAILABLE', 'away');
    };
    const plans: FiredPlans = { push: NOT_PUSHED, view: away, jobState: async () => 'waiting' };
    await expect(planFirings(plans).planStanding(ID)).rejects.toMatchObject({ code: 'REDIS_UNAVAILABLE' });
  });
});
