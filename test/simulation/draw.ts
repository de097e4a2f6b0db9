import { createRandom, type Random } from '../support/random.ts';
import { withApproval } from './approvals/draw.ts';
import { COINCIDENCES, deliveredAgain, planOf, stepTakenOver, takenAway } from './coincidences.ts';
import { type CallFault, HOPELESS, isHopeless, type Scenario, type SimTask, type TimedFault, TROUBLE_MS } from './scenario.ts';
import { withPlanOfSchedule, withSchedule } from './schedules/draw.ts';
import { withPlans, withWebhooks } from './webhooks/draw.ts';

/** In one of so many histories everything comes again after the retention. */
const LATER_EVERY = 13;
/** In one of so many somebody waits for files where ours are put: drawn by the seed, so that no other history becomes another one. */
const TAKEN_EVERY = 61;
/** In one of so many the job of a plan that has failed is delivered again. */
const DELIVERED_AGAIN_EVERY = 53;
/** In one of so many a worker stands still in a step without a job; in the weather of these seeds tools fail, and each step that can has no job. */
const STEP_TAKEN_EVERY = 105;
/** In one of so many the kernel makes tasks by the clock. */
const SCHEDULE_EVERY = 29;
/** In a quarter of those it makes plans. */
const SCHEDULED_PLAN_EVERY = 4 * SCHEDULE_EVERY;
/** In one of so many a plan waits for somebody's word. */
const APPROVAL_EVERY = 53;
/** In one of so many receivers are told of ends. */
const WEBHOOKS_EVERY = 59;
const FILE_KINDS = ['move', 'move', 'copy', 'delete', 'move-across', 'copy-across'] as const;
const CALL_KINDS = [
  'kill-before',
  'kill-after',
  'kill-after',
  'lost-answer',
  'lost-answer',
  'error',
  'slow',
  'pause',
  'power-after',
  'meddle',
  'meddle',
] as const;

/** The history of a seed. */
export function scenarioOf(seed: number): Scenario {
  const random = createRandom(seed ^ 0x51ab_c0de);
  const count = 1 + random.integer(4);
  const tasks = Array.from({ length: count }, () => taskOf(random));
  const busy = random.chance(0.85);
  const faults = busy ? Array.from({ length: random.integer(5) }, () => faultOf(random, count)) : [];
  const calls = busy
    ? Array.from({ length: random.integer(4) }, (): CallFault => ({ call: random.integer(60 + 60 * count), kind: random.pick(CALL_KINDS) }))
    : [];
  const plans = random.chance(0.2) ? [planOf(random)] : [];
  const boundAt = plans.length > 0 && random.chance(0.15) ? random.integer(4_000) : 0;
  const scenario = {
    seed,
    plans,
    boundAt,
    workers: 1 + random.integer(2),
    concurrency: 1 + random.integer(3),
    renames: !random.chance(0.2),
    tasks,
    faults,
    calls,
  };
  const drawn =
    seed % TAKEN_EVERY === 17
      ? takenAway(scenario, random)
      : random.chance(0.2)
        ? random.pick(COINCIDENCES)({ ...scenario, plans: [], boundAt: 0 }, random)
        : scenario;
  if (seed % DELIVERED_AGAIN_EVERY === 29) return deliveredAgain(scenario, createRandom(seed ^ 0x0011_5ed0));
  if (seed % STEP_TAKEN_EVERY === 12) return stepTakenOver(scenario, createRandom(seed ^ 0x57e9_0a11));
  if (seed % SCHEDULE_EVERY === 11) {
    const scheduled = withSchedule(scenario, createRandom(seed ^ 0x0c10_cca5));
    return seed % SCHEDULED_PLAN_EVERY === 69 ? withPlanOfSchedule(scheduled, createRandom(seed ^ 0x91a7_f1e5)) : scheduled;
  }
  if (seed % APPROVAL_EVERY === 8) return withApproval(scenario, createRandom(seed ^ 0x0a55_e217));
  if (seed % WEBHOOKS_EVERY === 20) return withPlans(withWebhooks(scenario, createRandom(seed ^ 0x3eb4_00c5)), createRandom(seed ^ 0x71a9_5e0d));
  return seed % LATER_EVERY === 4 ? { ...drawn, later: true } : drawn;
}

function taskOf(random: Random): SimTask {
  const file = random.chance(0.75);
  const kind = file ? random.pick(FILE_KINDS) : random.pick(['tool-none', 'tool-once'] as const);
  const at = random.chance(0.5) ? 0 : random.integer(10_000);
  const copies = random.chance(0.2) ? 1 + random.integer(3) : random.chance(0.02) ? 20 : 0;
  const ttlS = random.chance(0.1) ? 1 + random.integer(20) : 3600;
  const trap = trapOf(random, file);
  return { kind, at, duplicates: isHopeless({ trap }) ? 0 : copies, ttlS, trap };
}

function trapOf(random: Random, file: boolean): SimTask['trap'] {
  if (random.chance(0.75)) return 'none';
  if (file) return random.chance(0.15) ? random.pick(HOPELESS) : random.pick(['source-missing', 'destination-there'] as const);
  // A megabyte is slow to hash and sign: rarer than the others.
  return random.chance(0.1) ? 'oversized-answer' : random.pick(['hostile-answer', 'failing-tool', 'slow-tool', 'slow-tool'] as const);
}

function faultOf(random: Random, tasks: number): TimedFault {
  const at = random.chance(0.5) ? random.integer(400) : random.integer(TROUBLE_MS / 2);
  const [worker, task] = [random.integer(2), random.integer(tasks)];
  const forMs = random.pick([200, 2_000, 12_000]);
  const kinds: readonly (() => TimedFault)[] = [
    () => ({ kind: 'kill', at, worker }),
    () => ({ kind: 'stop', at, worker }),
    () => ({ kind: 'pause', at, worker, forMs }),
    () => ({ kind: 'clock', at, worker, byMs: random.pick([-7_200_000, -30_000, 5_000, 7_200_000]), ...(random.chance(0.6) ? { forMs } : {}) }),
    () => ({ kind: 'power', at }),
    () => ({ kind: 'redis-loss', at, ageMs: random.chance(0.4) ? undefined : random.integer(Math.max(1, at)) }),
    () => ({ kind: 'redis-outage', at, forMs }),
    () => ({ kind: 'disk-full', at, forMs }),
    () => ({ kind: 'slow', at, forMs, factor: random.pick([10, 200]) }),
    () => ({ kind: 'cancel', at, task }),
    () => ({ kind: 'revoke', at, task }),
    () => ({ kind: 'damage-revocations', at, forMs: 12_000 }),
    () => ({ kind: 'forge-row', at, task }),
    () => ({ kind: 'forge-run', at, task, worker: random.chance(0.5) ? worker : undefined }),
    () => ({ kind: 'forge-counts', at, task }),
    () => ({ kind: 'exchange-directory', at, directory: random.pick(['in', 'out'] as const) }),
    () => ({
      kind: 'exchange-base',
      at,
      base: random.pick(['data', 'other'] as const),
      how: random.pick(['mounted', 'replaced'] as const),
      ...(random.chance(0.8) ? { forMs } : {}),
    }),
    () => ({ kind: 'put-back', at, task }),
    () => ({ kind: 'vanish', at }),
    () => ({ kind: 'recreate-source', at, task }),
    () => ({ kind: 'foreign-destination', at, task }),
    () => ({ kind: 'kernel-outage', at, forMs: random.pick([200, 2_000]) }),
    () => ({ kind: 'kernel-restart', at }),
    () => ({ kind: 'other-manifest', at, task }),
    () => ({ kind: 'garbage', at, which: random.integer(5) }),
  ];
  return random.pick(kinds)();
}
