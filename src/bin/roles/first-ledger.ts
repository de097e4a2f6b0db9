import type { LedgerRecovery } from '../../../processors/ledger-recovery.ts';
import { ledgerStatus } from '../../../queues/queue-status.ts';
import type { RedisConnection } from '../../adapters/redis/redis-connection.ts';
import { type Lifecycle, lifecycle } from '../../core/lifecycle.ts';
import type { HostMemory } from '../../core/ports/index.ts';

/** The ledger of an installation in which nothing was done yet. What was never there is not lost: nobody is told, nothing is counted. */
export interface FirstLedger {
  /** While it is being made, a recovery is none. */
  readonly begins: boolean;
  /** Makes it at the start, where there has been none; a Redis that does not answer leaves that to the first task. */
  part(recovery: Pick<LedgerRecovery, 'recover' | 'restored'>): Lifecycle;
}

/** @param onError is told of a Redis that does not answer (docs/protocol.md, section 7) */
export function createFirstLedger(
  connection: RedisConnection,
  memories: readonly Pick<HostMemory, 'successes'>[],
  onError: (error: unknown) => void,
): FirstLedger {
  let begins = false;

  /** No marker at all, and no success that this host remembers. */
  async function isFirst(): Promise<boolean> {
    if ((await ledgerStatus(connection)).markers > 0) return false;
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
