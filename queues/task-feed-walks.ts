import type { Clock } from '../src/core/clock.ts';
import { type FeedContext, store } from './task-feed-context.ts';
import { ledgerGeneration } from './task-feed-ledger.ts';
import { walkLedger } from './task-feed-pass.ts';

/** Under this name the index keeps which generation of the ledger it has walked to its end. */
const LEDGER_POSITION = 'ledger';

/** Each pause between two walks is so many times the one before; after one of an hour everything is there. */
const LONGER = 4;
const LAST_PAUSE_MS = 3_600_000;

export interface LedgerWalks {
  /** Walks the ledger, where it is time to. `walked`: a pass has just done so. */
  look(positions: Record<string, string>, walked?: boolean): Promise<void>;
}

/**
 * A ledger that was lost leaves no event when it is written back. Its marker is set first and its rows follow for as long as they
 * are many (docs/protocol.md 7), so one walk at the marker finds what was there by then: it is walked again, after pauses that grow.
 *
 * @param firstMs the first pause
 */
export function ledgerWalks(context: FeedContext, clock: Clock, firstMs: number): LedgerWalks {
  let under: { readonly generation: string; pauseMs: number; nextAt: number } | undefined;
  return {
    async look(positions, walked = false) {
      const generation = await ledgerGeneration(context.redis);
      if (generation === undefined || generation === positions[LEDGER_POSITION]) return;
      if (under?.generation !== generation) under = { generation, pauseMs: firstMs, nextAt: clock.monotonic() };
      if (clock.monotonic() < under.nextAt) return;
      if (!walked) await walkLedger(context, { quiet: false });
      under.nextAt = clock.monotonic() + under.pauseMs;
      under.pauseMs *= LONGER;
      if (under.pauseMs <= LAST_PAUSE_MS * LONGER) return;
      positions[LEDGER_POSITION] = generation;
      await store(context, [], { positions: { [LEDGER_POSITION]: generation } });
    },
  };
}
