import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/core/json.ts';
import { linkPlan } from '../../../../src/executors/plan/index.ts';
import { capability, execution, say, tool } from '../../../support/plan-core.ts';

const APPROVAL = tool('writ.approval', { APPROVAL: ['role', 'question', 'deadline_s'] });
const GOOD = { role: 'approve', question: 'Shall it?', deadline_s: 60 };
const ask = (params: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'tool', ref: 'writ.approval', operation: 'APPROVAL', params, ...more });

function problems(steps: readonly JsonObject[], capabilities: readonly JsonObject[] = []): unknown {
  const linked = linkPlan(execution(steps, { catalog: { tools: [APPROVAL, tool('echo', { say: ['x'] })], capabilities } }), () => undefined);
  return linked.ok ? [] : (linked.details['errors'] as { path: string }[]).map(({ path }) => path);
}

describe('an approval in a plan', () => {
  it('is linked when it names role, question and deadline', () => {
    expect(problems([ask(GOOD), ask({ ...GOOD, action: 'APPROVAL' })])).toEqual([]);
  });

  it('is refused with everything that is wrong with it, of all steps, by field', () => {
    const fallback = ask({ ...GOOD, deadline_s: 0 });
    delete fallback['operation'];
    const steps = [
      ask({ role: 'boss', question: '', wait: 1 }, { retry: { max: 1 }, timeout_ms: 100 }),
      say({ x: 1 }, { on_error: { mode: 'fallback', fallback, by_code: { TOOL_FAILED: { mode: 'fallback', fallback } } } }),
    ];
    const first = ['params.deadline_s', 'params.question', 'params.role', 'params.wait', 'retry', 'timeout_ms'].map((field) => `payload.steps.0.${field}`);
    expect(problems(steps)).toEqual([
      ...first,
      'payload.steps.1.on_error.by_code.TOOL_FAILED.fallback.params.deadline_s',
      'payload.steps.1.on_error.fallback.params.deadline_s',
    ]);
  });

  it('of a definition may have templates, which are judged when it is reached', () => {
    const asks = capability('asks', [ask({ role: '{{input.role}}', question: 'Move {{input.name}}?', deadline_s: '{{input.wait}}', more: 1 })]);
    expect(problems([{ type: 'capability', ref: 'asks', params: {} }], [asks])).toEqual(['capabilities/asks.steps.0.params.more']);
  });
});
