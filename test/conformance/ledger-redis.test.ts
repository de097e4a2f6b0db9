import { afterAll, beforeAll, describe } from 'vitest';
import { redisLedgerRig } from '../integration/redis/rig.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';
import { ledgerConformance } from './ledger.ts';
import type { LedgerRig } from './ledger-rig.ts';

describe('the ledger in Redis', () => {
  let server: TestRedis;
  let rig: LedgerRig;
  beforeAll(async () => {
    server = await startTestRedis();
    rig = await redisLedgerRig(server);
  });
  afterAll(() => server.stop());
  ledgerConformance(() => rig);
});
