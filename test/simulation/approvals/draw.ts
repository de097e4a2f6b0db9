import type { Random } from '../../support/random.ts';
import type { ApprovalDeath, CallFault, Scenario, SimApproval, SimApprover, SimPlan } from '../scenario.ts';

/** Calls around a question and its answer. */
const CALLS = [
  'kernel.approval',
  'kernel.approval',
  'kernel.approvals',
  'kernel.decide',
  'plan-journal.append',
  'plan-journal.generation',
  'views.show',
  'views.read',
  'plan-jobs.promote',
  'plan-jobs.parked',
  'queue.delay',
  'kernel.derive',
] as const;
const KINDS = ['kill-before', 'kill-after', 'kill-after', 'lost-answer', 'error', 'slow', 'pause', 'power-after'] as const;

/** The scenario with a plan that asks, and faults around its question. */
export function withApproval(scenario: Scenario, random: Random): Scenario {
  const approval = approvalOf(random);
  const plan = planOf(random);
  const busy = random.chance(0.8);
  const calls = busy
    ? Array.from({ length: 1 + random.integer(3) }, (): CallFault => ({ call: 1 + random.integer(4), of: random.pick(CALLS), kind: random.pick(KINDS) }))
    : [];
  // Redis is lost around the question, the answer or the deadline; the kernel's and the workers' clocks are the machine's.
  const faults = busy ? scenario.faults.filter(({ kind }) => kind !== 'clock') : [];
  const lost = { kind: 'redis-loss', at: random.integer(4_000), ageMs: random.chance(0.5) ? undefined : 1 + random.integer(2_000) } as const;
  const { jump: _jump, ...calm } = approval;
  return {
    ...scenario,
    plans: [plan],
    boundAt: 0,
    tasks: scenario.tasks.slice(0, random.integer(2)),
    faults: busy && random.chance(0.3) ? [...faults, lost] : faults,
    calls,
    approval: busy ? approval : { ...calm, deaths: [] },
  };
}

function planOf(random: Random): SimPlan {
  const step = (): SimPlan['steps'][number] => random.pick(['none', 'idempotent', 'once', 'copy'] as const);
  const before = Array.from({ length: random.integer(2) }, () => random.pick(['none', 'none', 'copy'] as const));
  const again = random.chance(0.2) ? (['approval', step()] as const) : [];
  return {
    at: random.integer(500),
    steps: [...before, 'approval', step(), ...again],
    goesOn: random.chance(0.25),
    raw: random.chance(0.1),
    retried: random.chance(0.4),
  };
}

function approvalOf(random: Random): SimApproval {
  const deadlineS = random.pick([2, 5, 20] as const);
  const approver = (): SimApprover => ({
    answer: random.pick(['approve', 'approve', 'deny'] as const),
    afterMs: random.pick([
      0,
      random.integer(5),
      random.integer(400),
      random.integer(2_500),
      deadlineS * 1000 - 500 + random.integer(500),
      deadlineS * 1000 + 3_000,
    ]),
    twice: random.chance(0.3),
    mayAnswer: !random.chance(0.1),
  });
  const death = (): ApprovalDeath => ({
    of: random.pick(['ask', 'decide'] as const),
    nth: 1 + random.integer(2),
    when: random.pick(['before', 'after'] as const),
  });
  return {
    deadlineS,
    approvers: Array.from({ length: random.pick([0, 1, 1, 1, 2, 2, 3]) }, approver),
    deaths: random.chance(0.4) ? [death()] : [],
    ...(random.chance(0.25) ? { jump: { at: random.integer(3_000), byMs: random.pick([-30_000, -2_000, 4_000, 70_000]) } } : {}),
  };
}
