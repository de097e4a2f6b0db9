/** What is to happen because searches come, or because none does. */
export interface SearchCounterOptions {
  /** `index_idle_boost_ms`: without a search for so long the build thread need not spare anybody; 0: it never needs to. */
  readonly idleBoostMs: number;
  readonly setBoost: (on: boolean) => void;
  /** Each is called after every so many searches. */
  readonly periods: readonly { readonly searches: number; readonly due: () => void }[];
}

/** What a host makes of the searches that ask it. */
export interface SearchCounter {
  /** So many searches came since the last call. */
  count(searches: number): void;
  start(): void;
  stop(): void;
}

/** Counts searches, and notices when none comes (FR-LSI-BG-32, local-search-index.md 13.1). */
export function createSearchCounter({ idleBoostMs, setBoost, periods }: SearchCounterOptions): SearchCounter {
  const counts = periods.map(() => 0);
  let timer: NodeJS.Timeout | undefined;

  function waitForQuiet(): void {
    clearTimeout(timer);
    timer = setTimeout(() => setBoost(true), idleBoostMs).unref();
  }

  return {
    count(searches) {
      if (idleBoostMs > 0) {
        setBoost(false);
        waitForQuiet();
      }
      for (const [at, { searches: every, due }] of periods.entries()) {
        const count = (counts[at] ?? 0) + searches;
        counts[at] = count % every;
        if (count >= every) due();
      }
    },
    start() {
      if (idleBoostMs === 0) setBoost(true);
      else waitForQuiet();
    },
    stop: () => clearTimeout(timer),
  };
}
