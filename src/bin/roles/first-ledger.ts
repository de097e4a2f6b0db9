import { ledgerStatus } from '../../../queues/queue-status.ts';
import type { RedisConnection } from '../../adapters/redis/redis-connection.ts';
import type { HostMemory } from '../../core/ports/index.ts';

/**
 * Whether Redis has no ledger because there has been none: it has no marker at all, and this host remembers no success. What
 * was never there is not lost, and nobody is called for it (docs/protocol.md, section 7).
 */
export async function isFirstLedger(connection: RedisConnection, memories: readonly Pick<HostMemory, 'successes'>[]): Promise<boolean> {
  if ((await ledgerStatus(connection)).markers > 0) return false;
  const pages = await Promise.all(memories.map((memory) => memory.successes(undefined, 1)));
  return pages.every((page) => page.length === 0);
}
