import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe } from 'vitest';
import { CANCEL_CHANNEL, recordedChannel, tagOf } from '../../src/adapters/redis/keys.ts';
import { createRedisPoolOwnership } from '../../src/adapters/redis/pool.ts';
import { createRedisPresence } from '../../src/adapters/redis/presence.ts';
import { createRedisRevocations } from '../../src/adapters/redis/revocations.ts';
import { createRedisSignals } from '../../src/adapters/redis/signals.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';
import { type ChannelsRig, channelsConformance } from './channels.ts';

describe('presence, pools, signals and revocations in Redis', () => {
  let server: TestRedis;
  let rig: ChannelsRig;
  beforeAll(async () => {
    server = await startTestRedis();
    const redis = await server.client();
    rig = {
      presence: createRedisPresence(redis),
      pool: createRedisPoolOwnership(redis),
      feed: createRedisRevocations(redis),
      signals: createRedisSignals(await server.client('subscriber')),
      recorded: async (taskId) => void (await redis.publish(recordedChannel(tagOf(taskId)), taskId)),
      cancelRequested: async (taskId) => void (await redis.publish(CANCEL_CHANNEL, taskId)),
      pass: delay,
    };
  });
  afterAll(() => server.stop());
  channelsConformance(() => rig);
});
