import { rowKey } from '../../../src/adapters/redis/keys.ts';
import { createRedisLedger } from '../../../src/adapters/redis/ledger.ts';
import { createRedisSignals } from '../../../src/adapters/redis/signals.ts';
import { type LedgerRig, RETENTION_MS } from '../../conformance/ledger-rig.ts';
import type { TestRedis } from '../../support/redis.ts';

/** The Redis ledger on a test server. */
export async function redisLedgerRig(server: TestRedis): Promise<LedgerRig> {
  const connection = await server.client('ledger');
  const subscriber = await server.client('subscriber');
  return {
    ledger: createRedisLedger(connection, { retentionMs: RETENTION_MS }),
    signals: createRedisSignals(subscriber),
    async expiresAt(taskId) {
      const at = await connection.pexpiretime(rowKey(taskId));
      return at < 0 ? undefined : at;
    },
    lose: async () => void (await connection.flushall()),
  };
}
