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

/** In some histories plans move their files in place of copying them, and somebody takes the plan back when it has ended. */
export function isTakenBack({ seed }: Pick<Scenario, 'seed'>): boolean {
  return seed % 4 === 1;
}

/** In some histories the tools take seconds to answer the steps of plans. */
export function areStepsSlow({ seed }: Pick<Scenario, 'seed'>): boolean {
  return seed % 11 === 5;
}
