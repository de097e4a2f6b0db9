import { runHistory } from './history.ts';
import type { Scenario } from './scenario.ts';
import type { Seams } from './seams.ts';

/**
 * The smallest history found that breaks the same promise: faults, calls, tasks and duplicates are left out one by one, as
 * long as it still does.
 */
export async function shrink(scenario: Scenario, invariant: string, seams: Seams = {}): Promise<Scenario> {
  let smallest = scenario;
  for (let again = true; again; ) {
    again = false;
    for (const smaller of smallerThan(smallest)) {
      const { violations } = await runHistory(smaller, { seams });
      if (!violations.some((violation) => violation.invariant === invariant)) continue;
      smallest = smaller;
      again = true;
      break;
    }
  }
  return smallest;
}

function* smallerThan(scenario: Scenario): Generator<Scenario> {
  const { faults, calls, tasks, workers, concurrency, later, schedule, approval, webhooks } = scenario;
  if (later) yield { ...scenario, later: false };
  for (const at of faults.keys()) yield { ...scenario, faults: faults.toSpliced(at, 1) };
  for (const at of calls.keys()) yield { ...scenario, calls: calls.toSpliced(at, 1) };
  // Faults name tasks by their place: only the last can go without changing what they mean.
  if (tasks.length > 1) yield { ...scenario, tasks: tasks.slice(0, -1) };
  for (const [at, task] of tasks.entries()) {
    if (task.duplicates > 1) yield { ...scenario, tasks: tasks.with(at, { ...task, duplicates: Math.floor(task.duplicates / 2) }) };
    if (task.trap !== 'none') yield { ...scenario, tasks: tasks.with(at, { ...task, trap: 'none' }) };
  }
  if (schedule !== undefined) {
    const { down, jump, deaths, ...plain } = schedule;
    for (const at of deaths.keys()) yield { ...scenario, schedule: { ...schedule, deaths: deaths.toSpliced(at, 1) } };
    if (down !== undefined) yield { ...scenario, schedule: { ...plain, deaths, ...(jump && { jump }) } };
    if (jump !== undefined) yield { ...scenario, schedule: { ...plain, deaths, ...(down && { down }) } };
  }
  if (approval !== undefined) {
    const { jump, deaths, approvers, ...plain } = approval;
    for (const at of deaths.keys()) yield { ...scenario, approval: { ...approval, deaths: deaths.toSpliced(at, 1) } };
    for (const at of approvers.keys()) yield { ...scenario, approval: { ...approval, approvers: approvers.toSpliced(at, 1) } };
    if (jump !== undefined) yield { ...scenario, approval: { ...plain, deaths, approvers } };
  }
  if (webhooks !== undefined) {
    const { jump, indexLost, ...plain } = webhooks;
    for (const at of webhooks.kills.keys()) yield { ...scenario, webhooks: { ...webhooks, kills: webhooks.kills.toSpliced(at, 1) } };
    for (const at of webhooks.answers.keys()) yield { ...scenario, webhooks: { ...webhooks, answers: webhooks.answers.toSpliced(at, 1) } };
    if (jump !== undefined) yield { ...scenario, webhooks: { ...plain, ...(indexLost === undefined ? {} : { indexLost }) } };
    if (indexLost !== undefined) yield { ...scenario, webhooks: { ...plain, ...(jump && { jump }) } };
  }
  if (workers > 1) yield { ...scenario, workers: 1 };
  if (concurrency > 1) yield { ...scenario, concurrency: 1 };
}

/** What broke, how to see it again, and its smallest history in words. */
export async function explain(scenario: Scenario, invariant: string, seams: Seams = {}): Promise<string> {
  const smallest = await shrink(scenario, invariant, seams);
  const { lines, violations } = await runHistory(smallest, { seams, traced: true });
  const broken = violations.find((violation) => violation.invariant === invariant);
  return [
    `seed ${scenario.seed} breaks '${invariant}': ${broken?.what ?? ''}`,
    `see it again: WRIT_SIM_SEED=${scenario.seed} npx vitest run test/simulation/simulation`,
    `its smallest history: ${JSON.stringify(smallest)}`,
    ...lines,
  ].join('\n');
}
