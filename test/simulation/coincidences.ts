import type { Random } from '../support/random.ts';
import { HOPELESS, type Scenario, type SimPlan, type SimTask } from './scenario.ts';

const A_TASK: SimTask = { kind: 'move', at: 0, duplicates: 0, ttlS: 3600, trap: 'none' };

/** Things that must come together, and by chance alone rarely do. */
export const COINCIDENCES: readonly ((scenario: Scenario, random: Random) => Scenario)[] = [
  // A worker stops in the midst of an effect, another ends it, somebody takes the effect back, and the first goes on.
  (scenario, random) => ({
    ...scenario,
    workers: 2,
    tasks: [{ ...A_TASK, kind: random.pick(['move', 'move-across'] as const) }],
    faults: [{ kind: 'put-back', at: 0, task: 0 }],
    calls: [{ call: 1, of: 'file-journal.open', kind: 'pause' }],
  }),
  // Somebody puts a file where another one is about to go.
  (scenario, random) => ({
    ...scenario,
    tasks: [{ ...A_TASK, kind: random.pick(['move', 'copy', 'move-across'] as const) }],
    faults: [],
    calls: [{ call: 1, of: random.pick(['file-journal.open', 'file-journal.seal']), kind: 'occupy' }],
  }),
  // Before a task comes, its row says that another manifest is at work.
  (scenario, random) => ({
    ...scenario,
    tasks: [{ ...A_TASK, at: 50 }],
    faults: [{ kind: 'forge-run', at: 10, task: 0, worker: random.chance(0.5) ? 0 : undefined }],
    calls: [],
  }),
  // A lease ends between the look at it and the effect.
  (scenario, random) => ({
    ...scenario,
    tasks: [{ ...A_TASK, kind: random.pick(['move', 'copy', 'tool-once'] as const), ttlS: 2 + random.integer(6) }],
    faults: random.chance(0.5) ? [] : [{ kind: 'revoke', at: 1_000 + random.integer(8_000), task: 0 }],
    calls: [{ call: 35 + random.integer(40), kind: 'slow' }],
  }),
  // A job that holds a task is gone with its worker; other jobs of the task wait for it.
  (scenario, random) => ({
    ...scenario,
    tasks: [{ ...A_TASK, kind: 'tool-none', duplicates: 2, trap: 'slow-tool' }],
    faults: [{ kind: 'vanish', at: 200 + random.integer(2_000) }],
    calls: [],
  }),
  // A worker stops and comes back when its task is another's.
  (scenario, random) => ({
    ...scenario,
    workers: 2,
    tasks: [{ ...A_TASK, kind: random.pick(['tool-none', 'copy', 'move'] as const), trap: random.pick(['none', 'source-missing', 'slow-tool'] as const) }],
    faults: [],
    calls: [
      { call: 1, of: random.pick(['tool', 'file-journal.view']), kind: 'pause' },
      { call: 100 + random.integer(60), kind: random.pick(['pause', 'kill-after'] as const) },
    ],
  }),
  // The kernel is away for a moment while a long plan runs.
  (scenario, random) => ({
    ...scenario,
    tasks: [],
    plans: [{ ...planOf(random), at: 0, raw: false, retried: false, steps: Array.from({ length: 4 + random.integer(4) }, () => 'none' as const) }],
    faults: [{ kind: 'kernel-outage', at: 20 + random.integer(200), forMs: random.pick([200, 2_000]) }],
    calls: [],
  }),
  // A worker stands still when the intent of its request is on disk, and comes back when another has ended the task.
  (scenario) => ({
    ...scenario,
    workers: 2,
    tasks: [{ ...A_TASK, kind: 'tool-once' }],
    faults: [],
    calls: [{ call: 1, of: 'tool-journal.open', kind: 'pause' }],
  }),
  // Somebody counts lost workers into the row of a task that runs.
  (scenario, random) => ({
    ...scenario,
    tasks: [{ ...A_TASK, kind: random.pick(['tool-none', 'tool-once'] as const), trap: 'slow-tool' }],
    faults: [{ kind: 'forge-counts', at: 50 + random.integer(2_000), task: 0 }],
    calls: [],
  }),
  // A plan, a raw producer's among them, and nothing goes wrong.
  (scenario, random) => ({ ...scenario, tasks: [], plans: [{ ...planOf(random), raw: random.chance(0.5) }], faults: [], calls: [] }),
  // A plan meets a tool that is not bound yet, and goes on when it is, or is retried.
  (scenario, random) => {
    const goesOn = random.chance(0.5);
    const steps = ['copy', 'none', 'once', 'none'] as const;
    return {
      ...scenario,
      tasks: [],
      plans: [{ at: 0, steps, goesOn, raw: false, retried: true }],
      boundAt: goesOn ? 10 + random.integer(60) : 1_000,
      faults: [],
      calls: [],
    };
  },
  // The power goes when a move is durable and its end is not written yet.
  (scenario, random) => ({ ...scenario, tasks: [A_TASK], faults: [], calls: [{ call: 4 + random.integer(4), of: 'fs.sync', kind: 'power-after' }] }),
  // A call takes longer than a lock lives.
  (scenario) => ({ ...scenario, tasks: [{ ...A_TASK, kind: 'tool-none', trap: 'slow-tool' }], faults: [], calls: [] }),
  // Redis is lost while a worker waits for an answer: another claims the task again, with the same epoch.
  (scenario, random) => ({
    ...scenario,
    workers: 2,
    tasks: [{ ...A_TASK, kind: 'tool-none', duplicates: 2, trap: 'slow-tool' }],
    faults: [{ kind: 'redis-loss', at: 20 + random.integer(300), ageMs: undefined }],
    calls: [],
  }),
  // Something else stands at the path of a base directory when a task comes.
  (scenario, random) => ({
    ...scenario,
    tasks: [{ ...A_TASK, kind: random.pick(['move', 'copy', 'move-across', 'delete'] as const), at: 20 + random.integer(20) }],
    faults: [
      {
        kind: 'exchange-base',
        at: 20 + random.integer(30),
        base: random.pick(['data', 'other'] as const),
        how: random.pick(['mounted', 'replaced'] as const),
        forMs: 12_000,
      },
    ],
    calls: [],
  }),
  // Redis comes back as it was a moment ago, as a replica does that was promoted.
  (scenario, random) => ({
    ...scenario,
    workers: 2,
    tasks: [{ ...A_TASK, kind: random.pick(['move', 'copy', 'tool-once', 'tool-none'] as const), duplicates: 2 }],
    faults: [{ kind: 'redis-loss', at: 5 + random.integer(40), ageMs: 1 + random.integer(30) }],
    calls: [],
  }),
  // A task that takes its worker down, or crashes in it, alone.
  (scenario, random) => ({ ...scenario, tasks: [{ ...A_TASK, trap: random.pick(HOPELESS) }], faults: [], calls: [] }),
];

/** Where a move is link and unlink, somebody takes the file between the two: at once, or when the worker has died there. */
export function takenAway(scenario: Scenario, random: Random): Scenario {
  const tasks = [{ ...A_TASK, kind: random.pick(['copy', 'copy-across', 'move-across', 'move'] as const) }];
  const died = { call: 1, of: 'fs.link', kind: random.pick(['kill-after', 'power-after'] as const) } as const;
  // Two base directories are opened by the worker that dies, and two by the next.
  const afterwards = { call: 3, of: 'fs.openBase', kind: 'take-away' } as const;
  const calls = random.chance(0.5) ? [died, afterwards] : [{ call: 8 + random.integer(6), of: 'fs.entry', kind: 'take-away' } as const];
  return { ...scenario, plans: [], boundAt: 0, workers: 1, renames: false, tasks, faults: [], calls };
}

/**
 * A plan fails, and its job is delivered again: Redis comes back as it was before that, or before it was retried; or the worker dies that
 * runs it on, or that tells those who wait for its end. It fails at once, because a tool is not bound yet, or when nobody can tell what
 * became of its request.
 */
export function deliveredAgain(scenario: Scenario, random: Random): Scenario {
  const atOnce = random.chance(0.5);
  const steps = atOnce ? (['once', 'copy'] as const) : (['none', 'once'] as const);
  const trouble = random.pick(['loss', 'loss', 'begin', 'unpark'] as const);
  const plans = [{ at: 0, steps, goesOn: false, raw: trouble === 'unpark' || random.chance(0.25), retried: random.chance(0.6) }];
  const at = atOnce ? 60 + random.integer(6_000) : 10_000 + random.integer(15_000);
  const died = { call: 1 + random.integer(2), of: 'tool', kind: random.pick(['kill-before', 'kill-after'] as const) } as const;
  const calls: Scenario['calls'][number][] = atOnce ? [] : [died];
  if (trouble === 'begin') calls.push({ call: 2 + random.integer(2), of: 'plan-journal.begin', kind: random.pick(['kill-before', 'kill-after'] as const) });
  if (trouble === 'unpark') calls.push({ call: 1, of: 'ledger.unpark', kind: 'kill-after' });
  if (random.chance(0.3)) calls.push({ call: 40 + random.integer(160), kind: random.pick(['kill-after', 'lost-answer', 'pause'] as const) });
  const faults: Scenario['faults'] = trouble === 'loss' ? [{ kind: 'redis-loss', at, ageMs: 1 + random.integer(at) }] : [];
  return { ...scenario, tasks: [], plans, boundAt: atOnce ? 1_000 + random.integer(3_000) : 0, faults, calls };
}

/**
 * A worker stands still in a step without a job, after it has claimed it; another goes on with the plan, and that attempt of the step
 * fails; the first one comes back. Tools fail first and retries are declared: the seed says so (`retriesOf`).
 */
export function stepTakenOver(scenario: Scenario, random: Random): Scenario {
  const plans = [{ at: 0, steps: [random.pick(['once', 'once', 'none'] as const), 'copy'] as const, goesOn: false, raw: false, retried: random.chance(0.5) }];
  const calls = [{ call: 1 + random.integer(4), of: 'tool-journal.view', kind: 'pause' } as const];
  return { ...scenario, workers: 2, concurrency: 2, tasks: [], plans, boundAt: 0, faults: [], calls };
}

/** A plan of one to five steps. */
export function planOf(random: Random): SimPlan {
  const steps = Array.from({ length: 1 + random.integer(5) }, () => random.pick(['none', 'idempotent', 'once', 'copy'] as const));
  return { at: random.integer(3_000), steps, goesOn: random.chance(0.3), raw: random.chance(0.1), retried: random.chance(0.4) };
}
