import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../../../src/core/canonical-json.ts';
import { sha256Hex } from '../../../../../src/core/hash.ts';
import { shownJob } from '../../../../../src/surfaces/http/board/shown-job.ts';

const NOW = Date.parse('2026-11-21T05:00:00Z');
const ID = 'ab'.repeat(32);
const shown = (fields: Record<string, unknown>, id = `p_${ID}`) => shownJob({ id, fields, state: async () => 'failed' }, NOW);

const payload = { v: 1, iss: 'k', aud: 'plan', jti: 'j', plan_sha256: ID, capabilities: ['FILE_COPY'], iat: NOW / 1000 - 60, exp: NOW / 1000 + 7200 };
const lease = ['e30', Buffer.from(JSON.stringify(payload)).toString('base64url'), 'c2ln'].join('.');
const envelope = { payload: { steps: [{ params: { token: 'TOP-SECRET' } }], memory: { state: { found: 'TOP-SECRET' } } } };

describe('a plan on the board', () => {
  it('tells its id, steps done, the step that is under way, how long its lease is good and why it failed', () => {
    const fields = { data: { v: 1, envelope, lease }, progress: { done: 3, current: '0/uc.x/1#2' }, failedReason: 'TOOL_FAILED: the server said no' };
    expect(shown({ name: 'anything', ...fields })).toMatchObject({
      id: `p_${ID}`,
      name: 'plan',
      data: {
        plan_id: ID,
        steps_done: 3,
        current_step: '0/uc.x/1#2',
        lease_expires: '2026-11-21T07:00:00Z (in 2 h)',
        plan: `/v1/plans/${ID}`,
      },
      failedReason: 'TOOL_FAILED: the server said no',
      progress: 0,
    });
  });

  it('shows nothing of its envelope, its memory or its lease, whatever is in the job', () => {
    const hostile = fc.oneof(fc.constant(envelope), fc.jsonValue(), fc.constant({ lease }));
    fc.assert(
      fc.property(hostile, hostile, (data, progress) => {
        const text = JSON.stringify(shown({ data: { v: 1, envelope: data, lease }, progress, returnvalue: { envelope, memory: 'TOP-SECRET' } }));
        expect(text).not.toContain('TOP-SECRET');
        expect(text).not.toContain(lease);
      }),
      { numRuns: 100 },
    );
  });

  it('shows of a tool call what is called, not with what', () => {
    const inputs = { tool: 'http.webhook', operation: 'post', params: { payload: 'TOP-SECRET' } };
    const manifest = { task_id: 's-1', capability_id: 'TOOL_CALL', inputs, constraints: {} };
    const { data } = shown({ data: { v: 1, manifest } }, 't_s-1');
    expect(data).toMatchObject({ capability: 'TOOL_CALL', tool: 'http.webhook', operation: 'post' });
    expect(JSON.stringify(data)).not.toContain('TOP-SECRET');
  });

  it('under an id of its producer is the plan that it carries; how far that is tells its own job', () => {
    const id = sha256Hex(canonicalJson(envelope));
    for (const jobId of ['p_x', '7', ID]) {
      const { data } = shown({ data: { v: 1, envelope, lease }, progress: { done: 3, current: '0' } }, jobId);
      expect(data).toEqual({ plan_id: id, lease_expires: '2026-11-21T07:00:00Z (in 2 h)', plan: `/v1/plans/${id}` });
    }
    expect(shown({ data: { v: 1, envelope: { a: '\ud800' }, lease } }, '7').data).toHaveProperty('not_a_task');
  });

  it('is no plan without an envelope', () => {
    expect(shown({ data: { v: 1, lease } }).data).toHaveProperty('not_a_task');
    expect(shown({ data: { v: 1, envelope: 'x', lease } }, '7').data).toHaveProperty('not_a_task');
    expect(shown({ data: { v: 1, envelope } }).data).toMatchObject({ plan_id: ID, steps_done: 0, lease_expires: 'there is no lease' });
  });
});
