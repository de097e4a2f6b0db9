import type { Clock } from '../src/core/clock.ts';
import { fitsLedger } from '../src/core/ledger-life.ts';
import type { HostMemory, Ledger } from '../src/core/ports/index.ts';

const PAGE = 500;

export interface LedgerRecoveryDeps {
  readonly ledger: Ledger;
  /** All that this host remembers. */
  readonly memories: readonly Pick<HostMemory, 'successes'>[];
  /** Publishes what Redis lacks of this host's copy of the revocation log. */
  readonly republishRevocations: () => Promise<void>;
  readonly newGeneration: () => string;
  readonly clock: Clock;
  readonly report: (restored: number) => void;
}

/**
 * The answer to `lost` (`docs/protocol.md` section 7): everything that this host knows goes back into Redis first, the
 * generation markers come last, so that nobody claims in between. One run at a time; callers that arrive meanwhile wait
 * for it, which is what pauses the worker.
 */
export function createLedgerRecovery(deps: LedgerRecoveryDeps): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= recover(deps).finally(() => {
      running = undefined;
    });
    return running;
  };
}

async function recover({ ledger, memories, republishRevocations, newGeneration, clock, report }: LedgerRecoveryDeps): Promise<void> {
  await republishRevocations();
  let restored = 0;
  for (const memory of memories) {
    for (let page = await memory.successes(undefined, PAGE); page.length > 0; page = await memory.successes(page.at(-1)?.taskId, PAGE)) {
      // One that was concluded when there was room for more stays in its journal, and keeps nobody else out of the ledger.
      const kept = page.filter(({ result }) => fitsLedger(result));
      await ledger.restore(kept, clock.now());
      restored += kept.length;
    }
  }
  await ledger.markGeneration(newGeneration());
  report(restored);
}
