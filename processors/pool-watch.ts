import { markOfLock, placeOfWorker } from '../src/adapters/linux/instances-place.ts';
import type { Clock } from '../src/core/clock.ts';
import { WritError } from '../src/core/errors.ts';
import { type Lifecycle, lifecycle } from '../src/core/lifecycle.ts';
import { pause } from '../src/core/pause.ts';
import type { PoolWorker, PoolWorkers, Presence } from '../src/core/ports/index.ts';

/** Between two looks at the start. */
const LOOK_MS = 100;
/** A worker that says nothing for two of its intervals, and this, does not live. */
const SLACK_MS = 1000;
/** Heard from one that holds no lock here. One may have been under way when its process ended. */
const BEATS_OF_THE_LIVING = 2;

export interface StrangerWatch {
  /** Directory of the lock files of this data directory. */
  readonly directory: string;
  readonly workers: PoolWorkers;
  readonly presence: Pick<Presence, 'isAlive'>;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Of this process; it is no stranger to itself. */
  readonly own?: (() => string) | undefined;
}

interface Doubtful {
  /** From the second look on: what came before may be older than the look at the lock. */
  readonly first: number | undefined;
  readonly last: number;
  readonly heardAt: number;
}

/** Tells workers of this pool that work in another directory: in a copy of this one, since the pool has one data directory. */
function createStrangerWatch({ directory, workers, presence, clock, own }: StrangerWatch) {
  let doubtful = new Map<string, Doubtful>();
  /** Who was silent for long enough, and its last number. */
  const silent = new Map<string, number>();

  async function judged(worker: PoolWorker): Promise<readonly [string, Doubtful] | undefined> {
    const { instance, beats, intervalMs, place } = worker;
    if (instance === own?.() || silent.get(instance) === beats) return undefined;
    const found = placeOfWorker(directory, instance, place);
    if (found === 'here') return undefined;
    const known = doubtful.get(instance);
    const now = clock.monotonic();
    if (known === undefined && !(await presence.isAlive(instance))) {
      // Who only looks changes nothing.
      if (own !== undefined) await workers.gone(instance);
      return undefined;
    }
    if (found === 'ended') return undefined;
    const heardAt = beats === known?.last ? known.heardAt : now;
    if (now - heardAt > 2 * intervalMs + SLACK_MS) {
      silent.set(instance, beats);
      return undefined;
    }
    return [instance, { first: known === undefined ? undefined : (known.first ?? beats), last: beats, heardAt }];
  }

  return {
    /** One look. Who has been silent for long enough is asked about no more, unless it speaks again. */
    async look(): Promise<void> {
      const found = await Promise.all((await workers.all()).map(judged));
      doubtful = new Map(found.filter((one) => one !== undefined));
    },
    /** A worker that lives, and not here. */
    stranger: (): string | undefined => [...doubtful].find(([, { first, last }]) => first !== undefined && last - first >= BEATS_OF_THE_LIVING)?.[0],
    get isInDoubt() {
      return doubtful.size > 0;
    },
  };
}

/** Looks until it is sure: the stranger, or `undefined` where there is none. Waits only while there is somebody in doubt. */
export async function findStranger(watch: StrangerWatch): Promise<string | undefined> {
  const strangers = createStrangerWatch(watch);
  await strangers.look();
  while (strangers.isInDoubt && strangers.stranger() === undefined) {
    await pause(LOOK_MS);
    await strangers.look();
  }
  return strangers.stranger();
}

export interface PoolWatchOptions extends Omit<StrangerWatch, 'own'> {
  readonly pool: string;
  readonly instance: () => string;
  readonly intervalMs: number;
  readonly onError: (error: unknown) => void;
}

export interface PoolWatch extends Lifecycle {
  /** Throws the sentence while a worker of another directory is heard. */
  assertAlone(): void;
}

/**
 * Tells the other workers of the pool that this one serves it, and where, until it is stopped. Starts only where no worker of the pool
 * lives in another directory: two copies of one data directory have two journals, and each would fail what the other has done. Two that
 * start at once refuse each other. Goes after the lock file and the heartbeat.
 */
export function createPoolWatch({ pool, instance, intervalMs, onError, ...watch }: PoolWatchOptions): PoolWatch {
  const { workers, directory } = watch;
  const strangers = createStrangerWatch({ ...watch, own: instance });
  let beats = 0;
  let place = '';
  let timer: NodeJS.Timeout | undefined;
  const say = (): Promise<void> => {
    beats += 1;
    return workers.say({ instance: instance(), beats, intervalMs, place });
  };
  return {
    assertAlone() {
      const stranger = strangers.stranger();
      if (stranger !== undefined) throw poolCopied(pool, stranger, directory);
    },
    ...lifecycle(
      async () => {
        place = markOfLock(directory, instance());
        await say();
        let isFirst = true;
        timer = setInterval(
          () =>
            void say()
              .then(() => (isFirst ? undefined : strangers.look()))
              .catch(onError),
          intervalMs,
        );
        const stranger = await findStranger({ ...watch, own: instance });
        isFirst = false;
        if (stranger !== undefined) throw poolCopied(pool, stranger, directory);
      },
      async () => {
        clearInterval(timer);
        await workers.gone(instance()).catch(onError);
      },
    ),
  };
}

/** The refusal of whoever finds another copy at work. */
export function poolCopied(pool: string, stranger: string, directory: string): WritError {
  return new WritError(
    'POOL_OWNED',
    `pool '${pool}' is served by worker ${stranger}, which has no lock in ${directory}: it runs on a copy of this data directory, and neither knows ` +
      'what the other has done. Stop the Writ of one of the two; for two hosts, start one with a data directory and a pool of its own (pool.id)',
  );
}
