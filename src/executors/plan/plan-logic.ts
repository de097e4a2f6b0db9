import type { JsonObject } from '../../core/json.ts';
import type { PlanLogic } from '../../core/ports/plan.ts';
import { type DescribedStep, describePlan } from './describe-plan.ts';
import { isObject } from './json-copy.ts';
import { startPlan } from './start-plan.ts';

/** The plan executor's core behind its port. */
export const planLogic: PlanLogic = {
  start: startPlan,
  reach(envelope) {
    const plan = describePlan(envelope);
    if (!plan.ok) return plan;
    if (plan.truncated) return { ok: false, code: 'MAX_STEPS_EXCEEDED', message: 'the plan can reach more steps than a lease can name' };
    const operations = new Map<string, Set<string>>();
    for (const step of plan.steps.filter(({ type }) => type === 'tool')) {
      const known = operations.get(step.ref) ?? new Set();
      operations.set(step.ref, new Set([...known, ...operationsOf(step, envelope as JsonObject)]));
    }
    return { ok: true, tools: [...operations].map(([ref, names]) => ({ ref, operations: [...names] })) };
  },
};

/** Its operation, or, where only a run can tell, all that its tool has. */
function operationsOf({ ref, operation }: DescribedStep, { payload }: JsonObject): readonly string[] {
  if (operation !== undefined) return [operation];
  const files = isObject(payload) && Array.isArray(payload['registryFiles']) ? payload['registryFiles'] : [];
  const definition = files.filter(isObject).find((file) => file['category'] === 'tools' && file['ref'] === ref)?.['content'];
  const actions = isObject(definition) && Array.isArray(definition['actions']) ? definition['actions'] : [];
  return actions
    .filter(isObject)
    .map(({ name }) => name)
    .filter((name) => typeof name === 'string');
}
