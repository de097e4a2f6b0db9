import type { FileDeed, PlanAsk, StepAsk } from '../model.ts';
import type { Stage } from '../stage.ts';
import { envelopeFor, pushPlan } from './push-plan.ts';

const DEEDS = ['move', 'copy', 'delete'] as const satisfies readonly FileDeed['does'][];
const MOST_STEPS = 5;
const LATER_MS = { least: 1000, most: 4000 };

/** Files, requests that may leave once, with and without declared retries, and such as may be repeated. */
export async function mixedPlan(stage: Stage): Promise<void> {
  const count = 2 + stage.random.integer(MOST_STEPS - 1);
  const steps = Array.from({ length: count }, (_, at) => stage.random.pick(STEPS)(stage, `${at}`));
  const { ask, webhook } = askedPlan(stage, steps);
  await (await pushPlan(stage, ask, envelopeFor(ask), webhook)).ended;
}

/** A plan that may not begin before its time. */
export async function laterPlan(stage: Stage): Promise<void> {
  const { least, most } = LATER_MS;
  const notBefore = Math.ceil((Date.now() + least + stage.random.integer(most - least)) / 1000) * 1000;
  const { ask, webhook } = askedPlan(stage, [fileStep(stage, '0'), fileStep(stage, '1')], notBefore);
  await (await pushPlan(stage, ask, envelopeFor(ask), { ...webhook, notBefore: new Date(notBefore) })).ended;
}

export function fileStep(stage: Stage, path: string, does: FileDeed['does'] = stage.random.pick(DEEDS)): StepAsk {
  return { path, kind: 'file', ...stage.deed(does) };
}

export function onceStep(stage: Stage, path: string): StepAsk {
  return { path, kind: 'once', n: `once-${stage.next()}`, retries: 0, refusals: 0 };
}

/** The provider refuses a few times; as often as the step asks again, or once more. */
function retriedStep(stage: Stage, path: string): StepAsk {
  const retries = 2;
  const refusals = 1 + stage.random.integer(retries + 1);
  return { path, kind: 'once', n: `retried-${stage.next()}!${refusals}`, retries, refusals };
}

const STEPS: readonly ((stage: Stage, path: string) => StepAsk)[] = [
  fileStep,
  fileStep,
  onceStep,
  retriedStep,
  (stage, path) => ({ path, kind: 'repeatable', n: `put-${stage.next()}` }),
];

/** Writes the plan into the model before anybody hears of it; its id comes with its lease. */
export function askedPlan(stage: Stage, steps: readonly StepAsk[], notBefore?: number): { readonly ask: PlanAsk; readonly webhook: object } {
  const { told, webhook } = stage.told();
  const ask: PlanAsk = { id: '', name: `plan-${stage.next()}`, steps, told, words: [], ...(notBefore === undefined ? {} : { notBefore }) };
  stage.model.plans.push(ask);
  return { ask, webhook };
}
