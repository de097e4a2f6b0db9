import { APPROVAL_TOOL, ApprovalInputs, type FallbackStep, type Step } from '../../contracts/index.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Problem } from './codes.ts';
import { validate } from './problems.ts';

/**
 * Everything that is wrong with the approvals among a step and its fallbacks, as far as can be told before they run: a value with a
 * template in it is judged when the step is reached.
 *
 * @param at place of the step in its document
 */
export function approvalProblems(step: Step, templated: boolean, at: string): readonly Problem[] {
  const { on_error: onError, retry, timeout_ms: timeout } = step;
  const own = isApproval(step) ? [...given('retry', retry, at), ...given('timeout_ms', timeout, at)] : [];
  const handled = [['on_error', onError] as const, ...Object.entries(onError?.by_code ?? {}).map(([code, one]) => [`on_error.by_code.${code}`, one] as const)];
  const fallbacks = handled.flatMap(([name, handling]) => (handling?.fallback ? questionProblems(handling.fallback, templated, `${at}.${name}.fallback`) : []));
  return [...own, ...questionProblems(step, templated, at), ...fallbacks];
}

function isApproval({ type, ref }: Pick<FallbackStep, 'type' | 'ref'>): boolean {
  return type === 'tool' && ref === APPROVAL_TOOL;
}

/** Somebody's word is no failure to be tried again, and has its own deadline. */
function given(field: 'retry' | 'timeout_ms', value: unknown, at: string): readonly Problem[] {
  return value === undefined ? [] : [{ path: `${at}.${field}`, keyword: 'custom', message: 'is not for a step that waits for somebody' }];
}

function questionProblems(step: FallbackStep, templated: boolean, at: string): readonly Problem[] {
  if (!isApproval(step)) return [];
  // Parameters come from a copied envelope, so they are JSON.
  const { action: _action, ...params } = (step.params ?? {}) as JsonObject;
  const judged = validate(ApprovalInputs, params);
  if (judged.ok) return [];
  return judged.error
    .filter(({ path }) => !(templated && isTemplate(params[path])))
    .map((problem) => ({ ...problem, path: [at, 'params', problem.path].filter((part) => part !== '').join('.') }));
}

function isTemplate(value: unknown): boolean {
  return typeof value === 'string' && value.includes('{{');
}
