import { attemptsMs } from './plan-weather.ts';
import type { Scenario } from './scenario.ts';

/** What is accepted ends within this time after the last trouble, milliseconds. */
const PEACE_MS = 120_000;
/** One whose memory crashes ends when its fault has come back six times in one of the worker processes. */
const HOPELESS_MS = 90_000;

/** A job waits so long for the end of a run of another manifest, which nobody has signed. */
const UNPROVEN_MS = 240_000;

/** A plan comes back from its question within this time after the deadline, clocks set back included; milliseconds. */
const ASKED_MS = 70_000;

/** How long what was accepted in a history may take to end once the world is left in peace, milliseconds. */
export function peaceMs(scenario: Scenario): number {
  const { tasks, workers, faults, approval } = scenario;
  const hopeless = tasks.some(({ trap }) => trap === 'memory-crash') ? HOPELESS_MS * workers : 0;
  // Nobody may answer: a retry asks once more, and a clock may be set back.
  const waits = approval === undefined ? 0 : 2 * (approval.deadlineS * 1000 + ASKED_MS);
  return PEACE_MS + waits + hopeless + attemptsMs(scenario) + (faults.some(({ kind }) => kind === 'forge-run' || kind === 'other-manifest') ? UNPROVEN_MS : 0);
}
