import { messageOf } from '../../src/core/errors.ts';
import type { Field } from './field.ts';
import { allKinds, type KindName } from './kinds.ts';
import { createStage } from './stage.ts';
import { judgeTheEnd } from './the-end.ts';

export interface Campaign {
  /** Faults to inject; those under way when the number is reached are finished and counted, too. */
  readonly rounds: number;
  /** Cases under way at the same time. */
  readonly lanes: number;
  readonly kinds: readonly KindName[];
  readonly linked?: boolean;
  /** Looked at between cases; true ends the campaign early. */
  readonly stopEarly?: () => boolean;
}

/** A continuous stream of cases in a field until enough faults were injected; then everything is looked at once more. */
export async function fight(field: Field, { rounds, lanes, kinds, linked = false, stopEarly = () => false }: Campaign): Promise<void> {
  const all = allKinds({ random: field.random, linked });
  const weights = kinds.map((name) => all[name].weight);
  const sum = weights.reduce((a, b) => a + b, 0);
  // Each kind once, so that a short campaign has them all; then by weight.
  const first = [...kinds];
  const pick = (): KindName => first.shift() ?? byWeight();
  const byWeight = (): KindName => {
    let left = field.random.number() * sum;
    for (const [index, name] of kinds.entries()) {
      left -= weights[index] ?? 0;
      if (left < 0) return name;
    }
    return 'kill-at-random';
  };
  const lane = async (): Promise<void> => {
    while (field.counts.total < rounds && !stopEarly()) {
      const name = pick();
      await all[name].run(createStage(field, name)).catch((error: unknown) => {
        field.counts.violation('broken', `${name}: ${error instanceof Error ? error.stack : messageOf(error)}`);
      });
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  await judgeTheEnd(field);
}
