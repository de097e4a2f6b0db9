import { attemptsMs } from './plan-weather.ts';
import type { Scenario } from './scenario.ts';

/** What is accepted ends within this time after the last trouble, milliseconds. */
const PEACE_MS = 120_000;
/** One whose memory crashes ends when its fault has come back six times in one of the worker processes. */
const HOPELESS_MS = 90_000;

/** A job waits so long for the end of a run of another manifest, which nobody has signed. */
const UNPROVEN_MS = 240_000;

/** How long what was accepted in a history may take to end once the world is left in peace, milliseconds. */
export function peaceMs(scenario: Scenario): number {
  const { tasks, workers, faults } = scenario;
  const hopeless = tasks.some(({ trap }) => trap === 'memory-crash') ? HOPELESS_MS * workers : 0;
  return PEACE_MS + hopeless + attemptsMs(scenario) + (faults.some(({ kind }) => kind === 'forge-run' || kind === 'other-manifest') ? UNPROVEN_MS : 0);
}
