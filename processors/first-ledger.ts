import { type Lifecycle, lifecycle } from '../src/core/lifecycle.ts';
import type { HostMemory } from '../src/core/ports/index.ts';
import type { LedgerRecovery } from './ledger-recovery.ts';

/** The ledger of an installation in which nothing was done yet. What was never there is not lost: nobody is told, nothing is counted. */
export interface FirstLedger {
  /** While it is being made, a recovery is none. */
  readonly begins: boolean;
  /** Makes it at the start, where there has been none; a Redis that does not answer leaves that to the first task. */
  part(recovery: Pick<LedgerRecovery, 'recover' | 'restored'>): Lifecycle;
}

/**
 * Section 7 of docs/protocol.md, the loss that is none.
 *
 * @param markers how many generation markers Redis has
 * @param onError is told of a Redis that does not answer
 */
export function createFirstLedger(
  markers: () => Promise<number>,
  memories: readonly Pick<HostMemory, 'successes'>[],
  onError: (error: unknown) => void,
): FirstLedger {
  let begins = false;

  /** No marker at all, and no success that this host remembers. */
  async function isFirst(): Promise<boolean> {
    if ((await markers()) > 0) return false;
    const pages = await Promise.all(memories.map((memory) => memory.successes(undefined, 1)));
    return pages.every((page) => page.length === 0);
  }

  return {
    get begins() {
      return begins;
    },
    part: (recovery) =>
      lifecycle(
        async () => {
          try {
            begins = await isFirst();
            if (!begins) return;
            await recovery.recover();
            await recovery.restored();
          } catch (error) {
            onError(error);
          } finally {
            begins = false;
          }
        },
        () => undefined,
      ),
  };
}
