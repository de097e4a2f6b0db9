import type { Random } from '../../support/random.ts';
import type { CallFault, Scenario, SimSchedule, StoreDeath } from '../scenario.ts';

/** Times of cron are whole minutes: faults strike around the first of them, and not in the first moments of the history. */
const FIRST_MS = 59_950;
/** Calls of the kernel around a push; a task of a producer that comes at the beginning makes some of them, too. */
const CALLS = ['queue.exists', 'ledger.row', 'queue.add', 'queue.getState', 'tool', 'ledger.record'] as const;

const PLAIN: SimSchedule = { cron: '* * * * *', missed: 'latest', overlap: 'skip', until: 130_000, last: 'pause', deaths: [] };

/** The scenario with a schedule, and with its faults around a firing. */
export function withSchedule(scenario: Scenario, random: Random): Scenario {
  const calls = scenario.calls.map((fault): CallFault => ({ ...fault, call: 1 + random.integer(8), of: random.pick(CALLS) }));
  // The kernel and the workers of a host have one clock: it jumps for all of them.
  const faults = scenario.faults.filter(({ kind }) => kind !== 'clock').map((fault) => ({ ...fault, at: fault.at + FIRST_MS }));
  const base = { ...scenario, plans: [], boundAt: 0, tasks: scenario.tasks.slice(0, 1), faults, calls, schedule: scheduleOf(random) };
  if (!random.chance(0.2)) return base;
  // Redis is lost just when the first firing is on its queue.
  const lost = { kind: 'redis-loss', at: FIRST_MS + 51 + random.integer(8), ageMs: random.chance(0.5) ? undefined : 1 + random.integer(8) } as const;
  return { ...base, faults: [lost], calls: [], schedule: { ...PLAIN, missed: base.schedule.missed } };
}

/** The same with plans in place of tasks; often a plan fails, and Redis is lost before the kernel has seen how it ended. */
export function withPlanOfSchedule(scenario: Scenario, random: Random): Scenario {
  const plan = random.pick([['once'], ['once', 'none'], ['none', 'once']] as const);
  const schedule: SimSchedule = { ...(scenario.schedule ?? PLAIN), plan };
  if (!random.chance(0.5)) return { ...scenario, schedule };
  // The worker dies with its `once` request under way: nobody can tell what it did, and the plan ends.
  const calls: CallFault[] = [{ call: 1 + plan.indexOf('once'), of: 'tool', kind: 'kill-after' }];
  const lost = { kind: 'redis-loss', at: FIRST_MS + 10_000 + random.integer(30_000), ageMs: random.chance(0.7) ? undefined : random.integer(15_000) } as const;
  const { down: _down, jump: _jump, ...undisturbed } = schedule;
  return { ...scenario, tasks: [], faults: [lost], calls, schedule: { ...undisturbed, deaths: [] } };
}

function scheduleOf(random: Random): SimSchedule {
  const death = (): StoreDeath => ({
    of: random.pick(['decide', 'update'] as const),
    nth: 1 + random.integer(4),
    when: random.pick(['before', 'after'] as const),
  });
  return {
    cron: random.pick(['* * * * *', '* * * * *', '*/2 * * * *'] as const),
    missed: random.pick(['latest', 'all', 'skip'] as const),
    overlap: random.pick(['skip', 'allow'] as const),
    until: 130_000 + random.integer(110_000),
    last: random.pick(['pause', 'remove'] as const),
    deaths: random.chance(0.5) ? [death(), death()] : [],
    ...(random.chance(0.3) ? { down: { at: 20_000 + random.integer(60_000), forMs: random.pick([20_000, 80_000, 150_000]) } } : {}),
    ...(random.chance(0.3) ? { jump: { at: FIRST_MS - 500 + random.integer(15_000), byMs: random.pick([-90_000, -30_000, 70_000, 190_000]) } } : {}),
  };
}
