import { Session } from 'node:inspector';

/** Offsets in the text of a script, the second one behind the end. */
type Span = readonly [from: number, to: number];
/** By function: what of it did not run while it ran. */
export type Reached = ReadonlyMap<string, readonly Span[]>;

/** Which code of Writ has run in this process, by V8's own counters of blocks. */
export interface Coverage {
  /** What ran since the last look. */
  look(): Reached;
  /** Takes a look into the account. @returns whether it reached a block that nothing before it reached */
  learn(reached: Reached): boolean;
  /** The same, without taking it into the account. */
  isNew(reached: Reached): boolean;
  /** An account of its own, in which nothing has run. */
  anew(): Coverage;
  close(): void;
}

interface Counted {
  readonly result: readonly { readonly url: string; readonly functions: readonly { readonly ranges: readonly Range[] }[] }[];
}
interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

/** The product, not what tests it. */
const COUNTED = /^(?!.*\/node_modules\/).*\/(?:src|queues|processors|config|registries)\/[^?]+\.[jt]s/;

/** Counts from now on. A look takes some milliseconds; counting costs next to nothing. */
export function countCoverage(): Coverage {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const look = (): Reached => {
    let counted: Counted = { result: [] };
    // In one process the answer is there when the call returns.
    session.post('Profiler.takePreciseCoverage', (error, answer) => {
      if (error !== null) throw error;
      counted = answer;
    });
    return reachedOf(counted);
  };
  return accountOf(look, () => session.disconnect());
}

function accountOf(look: () => Reached, close: () => void): Coverage {
  const unreached = new Map<string, readonly Span[]>();
  const isNewIn = (name: string, spans: readonly Span[]): boolean => {
    const before = unreached.get(name);
    return before === undefined || lengthOf(common(before, spans)) < lengthOf(before);
  };
  return {
    look,
    isNew: (reached) => [...reached].some(([name, spans]) => isNewIn(name, spans)),
    learn(reached) {
      let isNew = false;
      for (const [name, spans] of reached) {
        isNew ||= isNewIn(name, spans);
        unreached.set(name, common(unreached.get(name) ?? spans, spans));
      }
      return isNew;
    },
    anew: () => accountOf(look, close),
    close,
  };
}

/**
 * V8 joins a block to the one around it where both ran equally often, so that blocks that ran have no lasting names; those that
 * did not run do.
 */
function reachedOf({ result }: Counted): Reached {
  const reached = new Map<string, readonly Span[]>();
  for (const { url, functions } of result) {
    if (!COUNTED.test(url)) continue;
    for (const { ranges } of functions) {
      const [whole, ...blocks] = ranges;
      if (whole === undefined || whole.count === 0) continue;
      const idle = blocks.filter(({ count }) => count === 0).map(({ startOffset, endOffset }): Span => [startOffset, endOffset]);
      reached.set(`${url}:${whole.startOffset}`, idle);
    }
  }
  return reached;
}

/** What two lists of spans share. Spans of a list do not overlap, unless one is within the other. */
function common(some: readonly Span[], others: readonly Span[]): readonly Span[] {
  const shared = some.flatMap(([from, to]) => others.map(([start, end]): Span => [Math.max(from, start), Math.min(to, end)]));
  return outermost(shared.filter(([from, to]) => from < to));
}

function outermost(spans: readonly Span[]): readonly Span[] {
  const sorted = spans.toSorted(([a, b], [c, d]) => a - c || d - b);
  let end = -1;
  return sorted.filter(([, to]) => {
    if (to <= end) return false;
    end = to;
    return true;
  });
}

const lengthOf = (spans: readonly Span[]): number => outermost(spans).reduce((sum, [from, to]) => sum + to - from, 0);
