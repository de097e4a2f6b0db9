import type { Model, PlanAsk, StepAsk } from '../model.ts';
import type { World } from '../world.ts';
import { endOfStep, recordsOf } from './steps.ts';

/**
 * A request that may leave once was heard once at most under each key, was done exactly as often as its step says, and was
 * asked again no more often than it declares. Nothing was heard that nobody asked.
 */
export function judgeRequests(model: Model, world: World): readonly string[] {
  const asked = new Set<string>();
  const steps = model.plans.flatMap((plan) =>
    plan.steps.flatMap((step) => {
      if (!('n' in step)) return [];
      asked.add(step.n);
      return step.kind === 'once' ? onceFaults(plan, step, world) : repeatableFaults(plan, step, world);
    }),
  );
  const scheduled = model.schedules.filter(({ makes }) => makes === 'request').map(({ id }) => id);
  const strangers = world.asked.filter(({ n }) => !asked.has(n) && !scheduled.includes(n));
  return [...steps, ...strangers.map(({ n, key }) => `the provider heard ${n} under ${key}, and nobody asked for it`), ...twice(world)];
}

/** The provider heeds no key: it would do again what it hears again. */
function twice({ asked }: World): readonly string[] {
  const seen = new Set<string>();
  return asked
    .filter(({ path }) => path === '/send')
    .filter(({ key }) => (seen.has(key) ? true : !seen.add(key)))
    .map(({ n, key }) => `the request ${n} was sent twice under ${key}`);
}

function onceFaults(plan: PlanAsk, step: Extract<StepAsk, { kind: 'once' }>, world: World): readonly string[] {
  const who = `${plan.name} step ${step.path}`;
  const heard = world.asked.filter(({ n }) => n === step.n);
  const done = heard.filter(({ status }) => status === 200).length;
  const end = endOfStep(world, plan.id, step.path);
  const faults = [];
  if (heard.length > step.retries + 1) faults.push(`${who} was sent ${heard.length} times, and declares ${step.retries} retries`);
  if (done > 1) faults.push(`${who} was done ${done} times by the provider`);
  if (end === 'SUCCESS' && done !== 1) faults.push(`${who} is a SUCCESS, and was done ${done} times`);
  if ((end === 'FAILURE' || end === 'none') && done > 0) faults.push(`${who} is ${end} (${codes(plan, step, world)}), and was done`);
  return faults;
}

function repeatableFaults(plan: PlanAsk, step: Extract<StepAsk, { kind: 'repeatable' }>, world: World): readonly string[] {
  const heard = world.asked.filter(({ n }) => n === step.n).length;
  return endOfStep(world, plan.id, step.path) === 'SUCCESS' && heard === 0 ? [`${plan.name} step ${step.path} is a SUCCESS, and nobody heard it`] : [];
}

function codes(plan: PlanAsk, step: StepAsk, world: World): string {
  return recordsOf(world, plan.id, step.path)
    .map(({ error_code: code }) => code)
    .join(', ');
}
