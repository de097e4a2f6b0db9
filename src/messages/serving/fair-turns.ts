/** Search time that a key may use in a minute before it has to stand back, milliseconds: half of a process. */
const BUDGET_MS = 30_000;
const MINUTE_MS = 60_000;
/** Keys whose use is remembered; those that use the least are forgotten first. */
const MAX_REMEMBERED = 1000;

export interface FairTurnsOptions {
  /** Searches that may run at the same time. */
  readonly lanes: number;
  /** Searches that may run or wait, of all; and that may wait, of one key. */
  readonly most: number;
  readonly mostOfOne: number;
  /** Milliseconds of a clock that never goes back. */
  readonly elapsed: () => number;
  readonly budgetMs?: number;
}

/** A turn in a lane. It is to be given back. */
export interface Turn extends Disposable {
  readonly lane: number;
}

export interface FairTurns {
  /**
   * @param account whose turn it is; `undefined`: the person to whom the messages belong, who has no budget
   * @param lane    the one that must be had; absent: any
   * @throws Error when too many wait already
   */
  take(account: string | undefined, lane?: number): Promise<Turn>;
}

interface Waiting {
  readonly account: string | undefined;
  readonly lane: number | undefined;
  readonly resolve: (turn: Turn) => void;
}

interface Use {
  running: number;
  waiting: number;
  /** When it last got a turn, counted in turns. */
  turn: number;
  /** Search time that is left to it, and when that was so. */
  left: number;
  at: number;
}

/**
 * Turns for searches. Keys take turns with each other, however many searches each of them sends. One that has used up its
 * search time comes behind all others and has one lane at most, so that the rest stay free for them; it is never refused for it.
 */
export function createFairTurns({ lanes, most, mostOfOne, elapsed, budgetMs = BUDGET_MS }: FairTurnsOptions): FairTurns {
  const free = new Set(Array.from({ length: lanes }, (_, lane) => lane));
  const uses = new Map<string | undefined, Use>();
  let waiting: readonly Waiting[] = [];
  let turns = 0;

  function useOf(account: string | undefined): Use {
    const known = uses.get(account);
    if (known !== undefined) return known;
    if (uses.size >= MAX_REMEMBERED) forget();
    const fresh: Use = { running: 0, waiting: 0, turn: 0, left: budgetMs, at: elapsed() };
    uses.set(account, fresh);
    return fresh;
  }

  function forget(): void {
    const idle = [...uses].filter(([, { running, waiting: queued }]) => running + queued === 0);
    idle.sort(([, a], [, b]) => leftOf(b) - leftOf(a));
    for (const [account] of idle.slice(0, Math.ceil(MAX_REMEMBERED / 2))) uses.delete(account);
  }

  function leftOf(use: Use): number {
    const now = elapsed();
    use.left = Math.min(budgetMs, use.left + ((now - use.at) * budgetMs) / MINUTE_MS);
    use.at = now;
    return use.left;
  }

  function isOver(account: string | undefined): boolean {
    return account !== undefined && leftOf(useOf(account)) <= 0;
  }

  /** The next of those that wait, and its lane. */
  function next(): { readonly one: Waiting; readonly lane: number } | undefined {
    let best: { readonly one: Waiting; readonly lane: number; readonly rank: readonly [number, number] } | undefined;
    for (const one of waiting) {
      const lane = one.lane ?? Math.min(...free);
      if (!free.has(lane)) continue;
      const over = isOver(one.account);
      const use = useOf(one.account);
      if (over && use.running > 0) continue;
      const rank = [Number(over), use.turn] as const;
      if (best === undefined || rank[0] < best.rank[0] || (rank[0] === best.rank[0] && rank[1] < best.rank[1])) best = { one, lane, rank };
    }
    return best;
  }

  function serve(): void {
    for (let found = free.size === 0 ? undefined : next(); found !== undefined; found = free.size === 0 ? undefined : next()) {
      const { one, lane } = found;
      waiting = waiting.filter((other) => other !== one);
      const use = useOf(one.account);
      turns += 1;
      use.turn = turns;
      use.waiting -= 1;
      one.resolve(begun(use, lane));
    }
  }

  function begun(use: Use, lane: number): Turn {
    const start = elapsed();
    free.delete(lane);
    use.running += 1;
    return {
      lane,
      [Symbol.dispose]() {
        free.add(lane);
        use.running -= 1;
        leftOf(use);
        use.left -= elapsed() - start;
        serve();
      },
    };
  }

  return {
    take(account, lane) {
      const use = useOf(account);
      if (waiting.length + lanes - free.size >= most || (account !== undefined && use.waiting >= mostOfOne)) throw new Error('too many searches wait');
      use.waiting += 1;
      return new Promise((resolve) => {
        waiting = [...waiting, { account, lane, resolve }];
        serve();
      });
    },
  };
}
