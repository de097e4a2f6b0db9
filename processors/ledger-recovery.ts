import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../src/core/clock.ts';
import { fitsLedger } from '../src/core/ledger-life.ts';
import { type Lifecycle, lifecycle } from '../src/core/lifecycle.ts';
import type { HostMemory, Ledger } from '../src/core/ports/index.ts';

/** Rows that are written back at once: a result may have a megabyte. */
const PORTION = 32;

/** Pause after a portion that Redis or the journal refused, milliseconds. */
const AFTER_REFUSAL_MS = 1000;

export interface LedgerRecoveryDeps {
  readonly ledger: Pick<Ledger, 'restore' | 'markGeneration'>;
  /** All that this host remembers. */
  readonly memories: readonly Pick<HostMemory, 'successes'>[];
  /** Publishes what Redis lacks of this host's copy of the revocation log. */
  readonly republishRevocations: () => Promise<void>;
  readonly newGeneration: () => string;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  /** Told of each loss, when tasks can be claimed again. */
  readonly onLost?: () => void;
  /** Told when everything that this host remembers is in Redis again. */
  readonly onRestored: (rows: number) => void;
  /** Told of a portion that was refused; it is tried again. */
  readonly onError: (error: unknown) => void;
}

/** The answer to `lost` (`docs/protocol.md` section 7). `stop` ends what is still being written back. */
export interface LedgerRecovery extends Lifecycle {
  /** Resolves when tasks can be claimed again. One run at a time; callers that arrive meanwhile share it. */
  recover(): Promise<void>;
  /** Resolves when what the last loss took is written back, with the number of rows; 0 after a stop. */
  restored(): Promise<number>;
}

/**
 * After a loss the revocation log goes back first, then the generation markers: from then on every task that is claimed
 * looks into the host's journal for itself, so nothing waits for the rows of others. They follow in portions, for whoever
 * only looks; a portion is followed by a pause as long as it took, so that work has at least half of the connection.
 */
export function createLedgerRecovery(deps: LedgerRecoveryDeps): LedgerRecovery {
  let running: Promise<void> | undefined;
  let writing: { readonly ended: Promise<number>; readonly stop: AbortController } | undefined;

  async function recover(): Promise<void> {
    await deps.republishRevocations();
    await deps.ledger.markGeneration(deps.newGeneration());
    deps.onLost?.();
    // A second loss took what was written back after the first.
    writing?.stop.abort();
    const stop = new AbortController();
    writing = { ended: writeBack(deps, stop.signal), stop };
  }

  return {
    recover() {
      running ??= recover().finally(() => {
        running = undefined;
      });
      return running;
    },
    restored: async () => (await writing?.ended) ?? 0,
    ...lifecycle(
      () => undefined,
      async () => {
        writing?.stop.abort();
        await writing?.ended;
      },
    ),
  };
}

/** Answers the number of rows; 0 when it was stopped. Never rejects. */
async function writeBack(deps: LedgerRecoveryDeps, signal: AbortSignal): Promise<number> {
  let rows = 0;
  for (const memory of deps.memories) {
    let last: string | undefined;
    for (let portion = await writePortion(memory, last, deps, signal); portion.last !== undefined; portion = await writePortion(memory, last, deps, signal)) {
      rows += portion.rows;
      last = portion.last;
      await delay(portion.ms, undefined, { signal }).catch(() => undefined);
    }
  }
  if (signal.aborted) return 0;
  deps.onRestored(rows);
  return rows;
}

interface Portion {
  /** How many were written. */
  readonly rows: number;
  /** Task id of the last of them; `undefined`: there are no more, or it was stopped. */
  readonly last?: string | undefined;
  readonly ms: number;
}

const NOTHING: Portion = { rows: 0, ms: 0 };

/** Writes the rows after `last` back; what is refused is tried again until it is stopped. */
async function writePortion(
  memory: LedgerRecoveryDeps['memories'][number],
  last: string | undefined,
  { ledger, clock, onError }: LedgerRecoveryDeps,
  signal: AbortSignal,
): Promise<Portion> {
  while (!signal.aborted) {
    const started = clock.monotonic();
    try {
      const page = await memory.successes(last, PORTION);
      if (page.length === 0 || signal.aborted) return NOTHING;
      // One that was concluded when there was room for more stays in its journal, and keeps nobody else out of the ledger.
      const kept = page.filter(({ result }) => fitsLedger(result));
      await ledger.restore(kept, clock.now());
      return { rows: kept.length, last: page.at(-1)?.taskId, ms: clock.monotonic() - started };
    } catch (error) {
      onError(error);
      await delay(AFTER_REFUSAL_MS, undefined, { signal }).catch(() => undefined);
    }
  }
  return NOTHING;
}
