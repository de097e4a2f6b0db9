import type { Random } from '../support/random.ts';
import { takenBack, withdrawn } from './cases/disturbed.ts';
import { killAtPoint } from './cases/kill-at-point.ts';
import { drain, killAtRandom } from './cases/kill-at-random.ts';
import { leaseExpires, leaseRevoked } from './cases/leases.ts';
import { noSpace } from './cases/no-space.ts';
import { redisCut, redisFlushed, redisKilled, redisRolledBack } from './cases/redis.ts';
import { zombie } from './cases/zombie.ts';
import { OPERATION_NAMES, type OPERATIONS, type OperationName } from './operations.ts';
import { pointsOf } from './points.ts';
import type { Point } from './setup.ts';
import { createStage, type Stage } from './stage.ts';

/** One kind of fault: how much of a long run it takes, and how it is done. */
export interface Kind {
  readonly weight: number;
  run(stage: Stage): Promise<void>;
}

export interface Surroundings {
  readonly random: Random;
  /** The workers have no `renameat2`. */
  readonly linked: boolean;
}

/** All kinds. Weights are shares of the cases, not of the rounds: a case may kill twice. */
export function allKinds({ random, linked }: Surroundings): Readonly<Record<KindName, Kind>> {
  // The points that only an old kernel has come first: a short campaign on one is about them.
  const all = combinations(linked);
  const everyPoint = walkThrough(
    all,
    random,
    all.filter(({ point }) => LINK_POINTS.has(point)),
  );
  return {
    'kill-at-point': {
      weight: 55,
      run: (stage) => {
        const { operation, point } = everyPoint();
        return killAtPoint(createStage(stage.field, `${operation.replaceAll(' ', '-')}-at-${point}`), operation, point, linked);
      },
    },
    'kill-at-random': { weight: 20, run: killAtRandom },
    'taken-back': { weight: 3, run: (stage) => takenBack(stage, linked) },
    withdrawn: { weight: 2, run: withdrawn },
    'lease-expires': { weight: 4, run: leaseExpires },
    'lease-revoked': { weight: 3, run: leaseRevoked },
    zombie: { weight: 7, run: zombie },
    drain: { weight: 2, run: drain },
    'redis-killed': { weight: 1, run: redisKilled },
    'redis-cut': { weight: 0.6, run: redisCut },
    'redis-flushed': { weight: 0.6, run: redisFlushed },
    'redis-rolled-back': { weight: 0.8, run: redisRolledBack },
    'no-space': { weight: 1, run: noSpace },
  };
}

export const KIND_NAMES = [
  'kill-at-point',
  'kill-at-random',
  'taken-back',
  'withdrawn',
  'lease-expires',
  'lease-revoked',
  'zombie',
  'drain',
  'redis-killed',
  'redis-cut',
  'redis-flushed',
  'redis-rolled-back',
  'no-space',
] as const;
export type KindName = (typeof KIND_NAMES)[number];

interface Combination {
  readonly operation: OperationName;
  readonly point: Point;
}

/** Which operation passes which points; known without running it. */
const PASSES = {
  move: 'rename',
  copy: 'copy',
  'copy across': 'copy',
  delete: 'rename',
  'move across': 'move across',
  'move back across': 'move across',
  'undo move': 'rename',
  'undo move across': 'move across',
  'undo delete': 'rename',
  'undo undone delete': 'rename',
} as const satisfies Record<keyof typeof OPERATIONS, Parameters<typeof pointsOf>[0]['passes']>;

/** Every operation x every point that it passes. */
export function combinations(linked: boolean): readonly Combination[] {
  return OPERATION_NAMES.flatMap((operation) => pointsOf({ passes: PASSES[operation] }, linked).map((point) => ({ operation, point })));
}

const LINK_POINTS: ReadonlySet<Point> = new Set<Point>(['L1', 'L2']);

/** `first` and then all of them, again and again, each time in a random order. */
function walkThrough<T>(items: readonly T[], random: Random, first: readonly T[]): () => T {
  let left = [...first];
  return () => {
    if (left.length === 0) left = [...items];
    const [item] = left.splice(random.integer(left.length), 1);
    if (item === undefined) throw new Error('nothing to walk through');
    return item;
  };
}
