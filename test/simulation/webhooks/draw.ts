import type { Random } from '../../support/random.ts';
import type { CallFault, ReceiverAnswer, Scenario, SimPlan, SimWebhooks, TimedFault } from '../scenario.ts';

/** Calls of the API around a notice. */
const CALLS = [
  'outbox.add',
  'outbox.add',
  'outbox.add',
  'outbox.add',
  'outbox.settle',
  'outbox.settle',
  'outbox.due',
  'outbox.place',
  'outbox.want',
  'outbox.wantedBy',
  'outbox.restore',
  'outbox.resend',
  'receiver.all',
  'receiver.wish',
  'index.look',
  'ledger.row',
] as const;
const KINDS = ['kill-before', 'kill-after', 'kill-after', 'lost-answer', 'error', 'slow', 'pause', 'power-after'] as const;
const ANSWERS: readonly ReceiverAnswer[] = ['ok', 'ok', 'error', 'busy', 'redirect', 'hang', 'cut', 'late', 'gone', 'lies'];

/** Calls of the API around a notice of a plan. */
const PLAN_CALLS = ['plan-ends.after', 'plan-ends.after', 'plan-ends.here', 'plan-ends.since', 'plan-ends.journal', 'outbox.planPlace', 'views.read'] as const;
const STEPS: readonly SimPlan['steps'][number][] = ['none', 'idempotent', 'once', 'copy'];

/** The same with ends of plans; from another stream of chance, so that the rest of the history is drawn as without. */
export function withPlans(scenario: Scenario, random: Random): Scenario {
  const { webhooks } = scenario;
  if (webhooks === undefined) return scenario;
  if (!random.chance(0.35)) return random.chance(0.1) ? endForgotten(scenario, webhooks, random) : scenario;
  const plan = (): SimPlan => ({
    at: random.integer(2_000),
    steps: Array.from({ length: 1 + random.integer(2) }, () => random.pick(STEPS)),
    goesOn: random.chance(0.2),
    raw: random.chance(0.1),
    retried: random.chance(0.7),
  });
  const plans = Array.from({ length: 1 + random.integer(2) }, plan);
  // A tool of files that is bound late makes a plan fail, and its retry succeed.
  const boundAt = random.chance(0.4) ? 3_000 : 0;
  const calls = scenario.calls.length === 0 ? [] : [...scenario.calls, { call: 1 + random.integer(6), of: random.pick(PLAN_CALLS), kind: random.pick(KINDS) }];
  const told: Scenario = { ...scenario, plans, boundAt, calls, webhooks: { ...webhooks, plans: true } };
  return calls.length > 0 && random.chance(0.4) ? endsUnheard(told, random) : told;
}

/** An API that died is back after this time. */
export const RESTART_MS = 800;
/** A look back is made again within this time; virtual milliseconds. */
const SETTLED_MS = 61_000;

/** The follower stands at a place when a plan ends; it dies, and Redis loses everything before it is back. */
function endsUnheard(scenario: Scenario, random: Random): Scenario {
  const { webhooks, plans, faults } = scenario;
  if (webhooks === undefined) return scenario;
  const at = SETTLED_MS + random.integer(1_000);
  const killed = at + random.integer(200);
  const lost = { kind: 'redis-loss', at: killed + 100 + random.integer(700), ageMs: undefined } as const;
  const once = plans.map((plan) => ({ ...plan, at, raw: false, retried: false }));
  return { ...scenario, boundAt: 0, plans: once, faults: [...faults, lost], webhooks: { ...webhooks, kills: [killed] } };
}

/**
 * A call ends, the API dies before it has told, and Redis loses everything a moment before it is back. When it has looked, another
 * task has a worker write the end back, before its producer pushes it again.
 */
function endForgotten(scenario: Scenario, webhooks: SimWebhooks, random: Random): Scenario {
  const at = 1_000 + random.integer(2_000);
  const killed = at + random.integer(30);
  const back = killed + RESTART_MS;
  const lost = { kind: 'redis-loss', at: back - 1 - random.integer(300), ageMs: undefined } as const;
  const task = { duplicates: 0, ttlS: 3600, trap: 'none' } as const;
  const ends = { ...task, kind: random.pick(['tool-once', 'tool-none'] as const), at };
  const tasks = [ends, { ...task, kind: 'copy', at: back + 10 + random.integer(100) } as const];
  return { ...scenario, tasks, faults: [lost], calls: [], webhooks: { ...webhooks, kills: [killed] } };
}

/** Whose task ends unseen by these: its wish stays for its 62 days, and two such leave no room for a third where there is room for few. */
const UNSEEN: ReadonlySet<string> = new Set<TimedFault['kind']>(['forge-run', 'vanish']);

/** The scenario with two receivers, and faults around their notices. */
export function withWebhooks(scenario: Scenario, random: Random): Scenario {
  const busy = random.chance(0.85);
  const calls = busy
    ? Array.from({ length: 1 + random.integer(3) }, (): CallFault => ({ call: 1 + random.integer(5), of: random.pick(CALLS), kind: random.pick(KINDS) }))
    : [];
  const faults = busy ? scenario.faults.filter(({ kind }) => kind !== 'clock') : [];
  const lost = { kind: 'redis-loss', at: random.integer(1_000), ageMs: random.chance(0.5) ? undefined : 1 + random.integer(500) } as const;
  const full = { kind: 'disk-full', at: random.integer(1_000), forMs: random.pick([200, 2_000]) } as const;
  const more = busy ? [...(random.chance(0.2) ? [lost] : []), ...(random.chance(0.2) ? [full] : [])] : [];
  const webhooks = webhooksOf(random);
  const { jump: _jump, indexLost: _lost, ...calm } = webhooks;
  const isFull = webhooks.room === 'few';
  return {
    ...scenario,
    plans: [],
    boundAt: 0,
    tasks: random.chance(0.3) ? [{ kind: 'move', at: 0, duplicates: 0, ttlS: 3600, trap: 'source-missing' }, ...scenario.tasks.slice(0, 2)] : scenario.tasks,
    faults: [...faults, ...more].filter(({ kind }) => !isFull || !UNSEEN.has(kind)),
    calls,
    webhooks: busy ? webhooks : { ...calm, kills: [], answers: calm.answers.map((answer) => (answer === 'gone' ? 'ok' : answer)) },
  };
}

function webhooksOf(random: Random): SimWebhooks {
  const isDown = random.chance(0.05);
  const room = random.pick(['wide', 'wide', 'wide', 'narrow', 'narrow', 'few'] as const);
  return {
    room,
    answers: Array.from({ length: random.integer(6) }, () => random.pick(ANSWERS)),
    isDown,
    kills: Array.from({ length: random.pick([0, 0, 1, 2]) }, () => random.integer(6_000)),
    resends: random.chance(0.5),
    forgets: random.chance(0.15),
    retried: random.chance(0.8),
    ...(random.chance(0.15) ? { indexLost: random.integer(3_000) } : {}),
    ...(!isDown && random.chance(0.25) ? { jump: { at: random.integer(12_000), byMs: random.pick([-7_200_000, -30_000, 600_000, 90_000_000]) } } : {}),
  };
}
