import { type Case, type Round, spread } from '../contract.ts';
import type { SearchCase } from './cases.ts';

/** Remembers the rounds of cases for the metrics. */
export interface Figures {
  /** The same case, with each round written down. */
  watch(one: SearchCase): Case;
  metrics(): Record<string, number>;
}

interface Rounds {
  readonly one: SearchCase;
  readonly ours: number[];
  readonly theirs: number[];
  peakBytes: number;
}

const MIB = 1024 * 1024;

export function createFigures(): Figures {
  const all: Rounds[] = [];
  return {
    watch(one) {
      const rounds: Rounds = { one, ours: [], theirs: [], peakBytes: 0 };
      all.push(rounds);
      return {
        ...one,
        async ours() {
          const { peakBytes = 0, ...round } = await one.ours();
          rounds.ours.push(round.value);
          rounds.peakBytes = Math.max(rounds.peakBytes, peakBytes);
          return round;
        },
        async theirs(): Promise<Round> {
          const round = await one.theirs();
          rounds.theirs.push(round.value);
          return round;
        },
      };
    },
    metrics: () => Object.assign({}, ...all.map(figuresOf)) as Record<string, number>,
  };
}

/** Medians of the rounds behind the warm-up; the peak is the highest of all rounds. MB are millions of bytes. */
function figuresOf({ one: { name, peer, amount }, ours, theirs, peakBytes }: Rounds): Record<string, number> {
  const seconds = (values: readonly number[]): number => spread(values.slice(1)).median / 1000;
  const rate = amount.value / seconds(ours);
  return {
    [`${name}.writ_s`]: rounded(seconds(ours)),
    [`${name}.${peer}_s`]: rounded(seconds(theirs)),
    [`${name}.peak_mib_above_idle`]: rounded(peakBytes / MIB),
    ...(amount.unit === 'bytes'
      ? { [`${name}_mb_per_s`]: rounded(rate / 1e6), [`${name}.mb`]: rounded(amount.value / 1e6) }
      : { [`${name}.files_per_s`]: Math.round(rate) }),
  };
}

function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
