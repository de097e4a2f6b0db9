import { createRandom, type Random } from '../support/random.ts';

/** One task that producers want done. */
export interface SimTask {
  readonly kind: 'move' | 'copy' | 'delete' | 'move-across' | 'copy-across' | 'tool-none' | 'tool-once';
  /** Virtual milliseconds. */
  readonly at: number;
  /** Further raw jobs of the same task, under job ids of their own. */
  readonly duplicates: number;
  /** Life of its lease, seconds. */
  readonly ttlS: number;
  /** What is wrong with it, or with the world for it. */
  readonly trap:
    | 'none'
    | 'source-missing'
    | 'destination-there'
    | 'oversized-answer'
    | 'hostile-answer'
    | 'poison'
    | 'crash'
    | 'memory-crash'
    | 'failing-tool'
    | 'slow-tool';
}

/** One plan that a producer wants done. */
export interface SimPlan {
  readonly at: number;
  readonly steps: readonly ('none' | 'idempotent' | 'once' | 'copy')[];
  /** A step that fails does not end the plan. */
  readonly goesOn: boolean;
  /** Pushed by a raw producer, under a job id of its own. */
  readonly raw: boolean;
  /** An operator retries it when it has failed. */
  readonly retried: boolean;
}

/** Something that goes wrong at a virtual time. */
export type TimedFault =
  | { readonly kind: 'kill'; readonly at: number; readonly worker: number }
  | { readonly kind: 'stop'; readonly at: number; readonly worker: number }
  | { readonly kind: 'pause'; readonly at: number; readonly worker: number; readonly forMs: number }
  | { readonly kind: 'clock'; readonly at: number; readonly worker: number; readonly byMs: number }
  | { readonly kind: 'power'; readonly at: number }
  /** `ageMs` undefined: everything is lost. */
  | { readonly kind: 'redis-loss'; readonly at: number; readonly ageMs: number | undefined }
  | { readonly kind: 'redis-outage'; readonly at: number; readonly forMs: number }
  | { readonly kind: 'disk-full'; readonly at: number; readonly forMs: number }
  | { readonly kind: 'slow'; readonly at: number; readonly forMs: number; readonly factor: number }
  | { readonly kind: 'cancel'; readonly at: number; readonly task: number }
  | { readonly kind: 'revoke'; readonly at: number; readonly task: number }
  | { readonly kind: 'damage-revocations'; readonly at: number; readonly forMs: number }
  | { readonly kind: 'forge-row'; readonly at: number; readonly task: number }
  /** A row says that another manifest is at work under the id, in a worker that lives or in one that never did. */
  | { readonly kind: 'forge-run'; readonly at: number; readonly task: number; readonly worker: number | undefined }
  | { readonly kind: 'exchange-directory'; readonly at: number; readonly directory: 'in' | 'out' }
  /** Something else stands at the path of a base directory, for so long; `forMs` undefined: from then on. */
  | { readonly kind: 'exchange-base'; readonly at: number; readonly base: 'data' | 'other'; readonly how: 'mounted' | 'replaced'; readonly forMs?: number }
  /** Somebody puts the file of a SUCCESS back where it came from, so long after it. */
  | { readonly kind: 'put-back'; readonly at: number; readonly task: number }
  /** A job that runs is gone, with its worker. */
  | { readonly kind: 'vanish'; readonly at: number }
  | { readonly kind: 'recreate-source'; readonly at: number; readonly task: number }
  | { readonly kind: 'foreign-destination'; readonly at: number; readonly task: number }
  /** A kernel that has lost its records has signed another manifest under the same id. */
  | { readonly kind: 'other-manifest'; readonly at: number; readonly task: number }
  | { readonly kind: 'kernel-outage'; readonly at: number; readonly forMs: number }
  | { readonly kind: 'kernel-restart'; readonly at: number }
  | { readonly kind: 'garbage'; readonly at: number; readonly which: number };

/** Something that goes wrong at the nth call that leaves any process, or at the nth of those of one name. */
export interface CallFault {
  readonly call: number;
  readonly of?: string;
  readonly kind: 'kill-before' | 'kill-after' | 'lost-answer' | 'error' | 'slow' | 'pause' | 'power-after' | 'meddle' | 'occupy';
}

/** Everything about a history that is decided before it begins. Leaving parts out makes another, smaller history. */
export interface Scenario {
  readonly seed: number;
  readonly workers: number;
  readonly concurrency: number;
  /** The file system renames without replacing; else link and unlink. */
  readonly renames: boolean;
  readonly tasks: readonly SimTask[];
  readonly plans: readonly SimPlan[];
  /** When the tool of files is bound on the host; before that it is not. */
  readonly boundAt: number;
  readonly faults: readonly TimedFault[];
  readonly calls: readonly CallFault[];
}

/** Faults begin and end within this time, milliseconds; then the world is left in peace. */
export const TROUBLE_MS = 30_000;
/** What is accepted ends within this time after the last trouble, milliseconds. */
const PEACE_MS = 120_000;
/** One whose memory crashes ends when its fault has come back six times in one of the worker processes. */
const HOPELESS_MS = 90_000;

/** A job waits so long for the end of a run of another manifest, which nobody has signed. */
const UNPROVEN_MS = 240_000;

export function peaceMs({ tasks, workers, faults }: Scenario): number {
  const hopeless = tasks.some(({ trap }) => trap === 'memory-crash') ? HOPELESS_MS * workers : 0;
  return PEACE_MS + hopeless + (faults.some(({ kind }) => kind === 'forge-run' || kind === 'other-manifest') ? UNPROVEN_MS : 0);
}

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
  return random.chance(0.2) ? random.pick(COINCIDENCES)({ ...scenario, plans: [], boundAt: 0 }, random) : scenario;
}

/** Every job of such a task takes five workers down, or crashes five times and more. */
const HOPELESS = ['poison', 'crash', 'memory-crash'] as const;
export const isHopeless = ({ trap }: Pick<SimTask, 'trap'>): boolean => HOPELESS.some((one) => one === trap);

const A_TASK: SimTask = { kind: 'move', at: 0, duplicates: 0, ttlS: 3600, trap: 'none' };

/** Things that must come together, and by chance alone rarely do. */
const COINCIDENCES: readonly ((scenario: Scenario, random: Random) => Scenario)[] = [
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
  // A task that takes its worker down, or crashes in it, alone.
  (scenario, random) => ({ ...scenario, tasks: [{ ...A_TASK, trap: random.pick(HOPELESS) }], faults: [], calls: [] }),
];

function planOf(random: Random): SimPlan {
  const steps = Array.from({ length: 1 + random.integer(5) }, () => random.pick(['none', 'idempotent', 'once', 'copy'] as const));
  return { at: random.integer(3_000), steps, goesOn: random.chance(0.3), raw: random.chance(0.1), retried: random.chance(0.4) };
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
    () => ({ kind: 'clock', at, worker, byMs: random.pick([-30_000, -5_000, 5_000, 7_200_000]) }),
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
