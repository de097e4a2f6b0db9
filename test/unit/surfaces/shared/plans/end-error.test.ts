import { describe, expect, it } from 'vitest';
import type { PlanError } from '../../../../../src/contracts/index.ts';
import type { Json } from '../../../../../src/core/json.ts';
import { planErrorText } from '../../../../../src/surfaces/shared/plans/end-error.ts';
import { cap, capability, execution, ok, play, say } from '../../../../support/plan-core.ts';

/** The line for a plan that the executor has run. */
function lineOf(steps: readonly Json[], ...rest: readonly Json[]): string {
  const catalog = { capabilities: [capability('c', rest as never)] };
  const { done } = play(execution(steps as never, { catalog }), () => ok());
  return planErrorText(done.envelope['error'] as never);
}

describe('what ended a plan, in one line', () => {
  it('names the value that a template wants, and the step that wants it', () => {
    expect(lineOf([say(), cap('c')], say({ x: '{{input.nowhere}}' }))).toBe(
      'UNRESOLVED_REFERENCE: a template names a value that does not exist (reference input.nowhere), at step 1/cap.c/0 (echo)',
    );
  });

  it('names parameters that an operation does not take', () => {
    expect(lineOf([say({ wrong: 1, odd: 2 })])).toMatch(/^PARAMS_MISMATCH: .* \(unexpected odd, wrong\), at step 0 \(echo\)$/);
  });

  it('names the first field of a document that cannot be run, and counts the others', () => {
    expect(lineOf([say({}, { when: 'input. && true' })])).toBe(
      'INVALID_CONTRACT: the envelope is not one that can be executed (payload.steps.0.when: is no expression of its kind, from character 8 on)',
    );
    const errors = [{ path: '', message: 'is nested too deeply' }, {}, {}];
    expect(planErrorText({ code: 'X', message: 'x', details: { errors } })).toBe('X: x (envelope: is nested too deeply and 2 more)');
  });

  it('leaves out what a tool has added, and takes details of any form', () => {
    const textOf = (details: PlanError['details']): string => planErrorText({ code: 'X', message: 'x', details });
    expect(textOf({ tool: { token: 'abc' }, cause: { code: 'Y' }, step: { path: '0', ref: 'r' } })).toBe('X: x, at step 0 (r)');
    for (const odd of [undefined, null, {}, { step: 1, errors: 2 }, { errors: [], names: [], deep: {} }, { step: { path: 1 } }])
      expect(textOf(odd)).toBe('X: x');
    expect(textOf({ names: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] })).toBe('X: x (names a, b, c, d, e and 2 more)');
  });
});
