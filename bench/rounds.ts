import { isDeepStrictEqual } from 'node:util';
import { type Case, ROUNDS, type Round, ratioName, type Spread, spread } from './contract.ts';

export interface CaseResult {
  readonly name: string;
  readonly ratio: Spread;
  /** Values of both sides over the rounds, warm-up left out. */
  readonly ours: Spread;
  readonly theirs: Spread;
}

/**
 * Runs one case: a warm-up of both sides, then the rounds. The side that goes first changes from round to round, so
 * that a machine that gets slower or faster favours nobody.
 *
 * @throws Error when the sides did not do the same work
 */
export async function runCase(one: Case, rounds = ROUNDS): Promise<CaseResult> {
  const name = ratioName(one);
  await round(one, name, true);
  const pairs: Pair[] = [];
  for (let n = 0; n < rounds; n += 1) pairs.push(await round(one, name, n % 2 === 0));
  const ratioOf = one.kind === 'speed' ? ({ ours, theirs }: Pair) => theirs / ours : ({ ours, theirs }: Pair) => ours / theirs;
  return { name, ratio: spread(pairs.map(ratioOf)), ours: spread(pairs.map(({ ours }) => ours)), theirs: spread(pairs.map(({ theirs }) => theirs)) };
}

interface Pair {
  readonly ours: number;
  readonly theirs: number;
}

async function round(one: Case, name: string, oursFirst: boolean): Promise<Pair> {
  let ours: Round;
  let theirs: Round;
  if (oursFirst) {
    ours = await one.ours();
    theirs = await one.theirs();
  } else {
    theirs = await one.theirs();
    ours = await one.ours();
  }
  if (!isDeepStrictEqual(ours.work, theirs.work)) throw new Error(`${name}: both sides must do the same work`);
  if (!(ours.value > 0 && theirs.value > 0)) throw new Error(`${name}: nothing was measured`);
  return { ours: ours.value, theirs: theirs.value };
}
