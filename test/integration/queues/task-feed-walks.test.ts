import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ONE_SHARD } from '../../../queues/shards.ts';
import type { FeedContext } from '../../../queues/task-feed-context.ts';
import { ledgerWalks } from '../../../queues/task-feed-walks.ts';
import { createRedisLedger } from '../../../src/adapters/redis/ledger.ts';
import { testClock } from '../../fixtures/authority/world.ts';
import { commandCount, startTestRedis, type TestRedis } from '../../support/redis.ts';
import { allResults } from '../../support/results.ts';
import { type TemporaryIndex, temporaryIndex } from '../../support/task-index.ts';

const SECOND = 1000;
const LONG_S = 3600;

describe('the walks of a ledger that was lost', () => {
  let server: TestRedis;
  let under: TemporaryIndex;
  beforeAll(async () => {
    [server, under] = await Promise.all([startTestRedis(), temporaryIndex()]);
  });
  afterAll(async () => {
    await under[Symbol.asyncDispose]();
    await server.stop();
  });

  /** After how many seconds the ledger was walked, and what the feed knows then; it looks every five seconds for an hour. */
  async function walksOf(positions: Record<string, string>, walked: boolean): Promise<readonly number[]> {
    const redis = await server.client();
    const { generation } = await under.index.begin();
    const stopping = new AbortController().signal;
    const context: FeedContext = { redis, index: under.index, results: allResults, generation, streams: [], shards: ONE_SHARD, pool: 'default', stopping };
    const clock = testClock();
    const walks = ledgerWalks(context, clock, 5 * SECOND);
    const scans = async (): Promise<number> => commandCount(await redis.info('commandstats'), 'scan');
    const seen: number[] = [];
    for (let second = 0; second < LONG_S; second += 5) {
      const before = await scans();
      await walks.look(positions, walked && second === 0);
      if ((await scans()) > before) seen.push(second);
      clock.advance(5 * SECOND);
    }
    return seen;
  }

  it('come at once and after pauses that grow, and end when the last row must be back', async () => {
    const ledger = createRedisLedger(await server.client(), { retentionMs: 1000_000 });
    expect(await walksOf({}, false)).toEqual([]);
    await ledger.markGeneration('first');
    const positions: Record<string, string> = {};
    expect(await walksOf(positions, false)).toEqual([0, 5, 25, 105, 425, 1705]);
    expect([positions, (await under.index.begin()).positions]).toEqual([{ ledger: 'first' }, { ledger: 'first' }]);
    expect(await walksOf(positions, false)).toEqual([]);
    // A pass has walked it just now.
    expect(await walksOf({}, true)).toEqual([5, 25, 105, 425, 1705]);
  });
});
