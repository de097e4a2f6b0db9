import { createRandom } from '../support/random.ts';

/** A mean over queries with its 95 % interval. */
export interface Estimate {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

const SAMPLES = 10_000;
const SEED = 20_260_609;

/** Mean and percentile bootstrap over the queries; the same values give the same interval. For differences hand in the differences per query (paired). */
export function estimate(values: readonly number[]): Estimate {
  const random = createRandom(SEED);
  const mean = (list: readonly number[]): number => list.reduce((sum, value) => sum + value, 0) / list.length;
  const means = Array.from({ length: SAMPLES }, () => mean(values.map(() => random.pick(values)))).toSorted((a, b) => a - b);
  const at = (share: number): number => means[Math.min(SAMPLES - 1, Math.floor(share * SAMPLES))] ?? Number.NaN;
  return { mean: mean(values), low: at(0.025), high: at(0.975) };
}
