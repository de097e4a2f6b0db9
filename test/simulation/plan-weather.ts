import type { Scenario } from './scenario.ts';

/** How often a queue lets a step of a plan run without a job: always, never (it is paused), or now and then. */
export function localShare({ seed }: Pick<Scenario, 'seed'>): number {
  return [1, 0, 0.5][seed % 3] ?? 1;
}

/** In some histories somebody cancels the plan, so many milliseconds after it was pushed. */
export function cancelAfter({ seed }: Pick<Scenario, 'seed'>): number | undefined {
  return seed % 7 === 3 ? 1 + (seed % 61) : undefined;
}

/** In some histories tools fail now and then, and the steps of plans declare retries: so many, after so many milliseconds. */
export function retriesOf({ seed }: Pick<Scenario, 'seed'>): { readonly max: number; readonly backoff_ms: number } | undefined {
  return seed % 5 === 2 ? { max: 3, backoff_ms: 1_500 } : undefined;
}

/** What a slow tool takes at most, and the time limit after which it is asked again, milliseconds. */
const SLOW_MS = 11_000;

/** How long the attempts of slow steps, and what is declared between them, may take beside everything else; milliseconds. */
export function attemptsMs(scenario: Pick<Scenario, 'seed' | 'plans'>): number {
  const retry = retriesOf(scenario);
  if (retry === undefined || !areStepsSlow(scenario)) return 0;
  const backoffs = retry.backoff_ms * (2 ** retry.max - 1);
  const steps = scenario.plans.map((plan) => plan.steps.length);
  return Math.max(0, ...steps) * ((retry.max + 1) * SLOW_MS + backoffs);
}

/** In some histories plans move their files in place of copying them, and somebody takes the plan back when it has ended. */
export function isTakenBack({ seed }: Pick<Scenario, 'seed'>): boolean {
  return seed % 4 === 1;
}

/** In some histories the tools take seconds to answer the steps of plans. */
export function areStepsSlow({ seed }: Pick<Scenario, 'seed'>): boolean {
  return seed % 11 === 5;
}
