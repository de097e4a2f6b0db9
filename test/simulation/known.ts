import type { Violation } from './checker.ts';
import type { Scenario } from './scenario.ts';

/** A fault of the product that a simulation finds and that is not mended yet. */
export interface KnownFault {
  /** Its number among the findings. */
  readonly finding: string;
  readonly says: string;
  /** Whether a violation is this fault's. */
  readonly explains: (violation: Violation, scenario: Scenario) => boolean;
  /** Turned when its mend is merged: from then on its violations count as any other. */
  readonly mended: boolean;
}

/** Whether the violation is about one of the tasks that are such. */
function concerns({ what }: Violation, { tasks }: Scenario, isSuch: (task: Scenario['tasks'][number]) => boolean): boolean {
  return tasks.some((task, index) => isSuch(task) && new RegExp(`task-${index}\\b`).test(what));
}

export const KNOWN: readonly KnownFault[] = [
  {
    finding: 'A1',
    says: 'a result over 1 MiB crashes every delivery of its task',
    explains: (violation, scenario) =>
      ['everything ends', 'failures are true', 'no endless retry'].includes(violation.invariant) &&
      concerns(violation, scenario, ({ trap }) => trap === 'oversized-answer'),
    mended: true,
  },
  {
    finding: 'A3',
    says: 'duplicates of one task starve each other',
    explains: (violation, scenario) =>
      (violation.invariant === 'nobody starves' && concerns(violation, scenario, ({ duplicates }) => duplicates > 0)) ||
      (violation.invariant === 'everything ends' && concerns(violation, scenario, ({ duplicates }) => duplicates >= 20)),
    mended: true,
  },
  {
    finding: 'A6',
    says: 'crashes without a lost worker are counted as lost workers',
    explains: ({ invariant, what }, { faults, calls, tasks }) =>
      invariant === 'failures are true' &&
      what.includes('the worker was lost') &&
      (faults.length + calls.length > 0 || tasks.some(({ trap }) => trap === 'oversized-answer')),
    mended: true,
  },
  {
    finding: 'A5',
    says: 'a plan that met an unbound tool is lost when the tool is bound to another adapter',
    explains: ({ invariant, what }, { boundAt }) => boundAt > 0 && invariant === 'failures are true' && what.includes('INVALID_RESULT'),
    mended: true,
  },
  {
    finding: 'A8',
    says: "a plan's crash costs the more the more steps it has had; a raw producer's plan is not woken",
    explains: ({ invariant, what }, { plans, faults, calls }) =>
      invariant === 'nobody starves' && what.startsWith('plan-') && (faults.length + calls.length > 0 || plans.some(({ raw }) => raw)),
    mended: true,
  },
];

/** The finding that explains a violation, as long as it is not mended. */
export function knownFault(violation: Violation, scenario: Scenario): string | undefined {
  return KNOWN.find(({ mended, explains }) => !mended && explains(violation, scenario))?.finding;
}
