import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { jobAdder, type NewJob } from '../../../queues/add-jobs.ts';
import { jobOptions } from '../../../queues/catalog.ts';
import { openQueue } from '../../../queues/open-queue.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';

const jobs = (count: number, of: (at: number) => object = (at) => ({ at })): readonly NewJob[] =>
  Array.from({ length: count }, (_, at) => {
    const data = of(at);
    return { name: `N-${at % 3}-é`, data, text: JSON.stringify(data), opts: jobOptions(`t_${at}`, at % 4 === 0 ? 3 : 1) };
  });

describe('many jobs in one command', () => {
  let server: TestRedis;
  let redis: Redis;
  beforeAll(async () => {
    server = await startTestRedis();
    redis = await server.client('producer');
  });
  afterAll(() => server.stop());
  beforeEach(() => server.flushAll());

  /** Everything that lies under a prefix, without times and ids of the moment. */
  async function contents(prefix: string): Promise<Readonly<Record<string, unknown>>> {
    const readers: Readonly<Record<string, (key: string) => Promise<unknown>>> = {
      hash: async (key) => ({ ...(await redis.hgetall(key)), timestamp: 0 }),
      list: (key) => redis.lrange(key, 0, -1),
      zset: (key) => redis.call('zrange', key, '0', '-1', 'WITHSCORES'),
      stream: async (key) => (await redis.xrange(key, '-', '+')).map(([, fields]) => fields),
      string: (key) => redis.get(key),
    };
    const keys = (await redis.keys(`${prefix}:*`)).sort();
    const read = keys.map(async (key) => [key.slice(prefix.length), await readers[await redis.type(key)]?.(key)] as const);
    return Object.fromEntries(await Promise.all(read));
  }

  it.each<[string, readonly NewJob[], (queue: Queue<unknown>) => Promise<unknown>]>([
    ['of one kind and another', jobs(7), async () => undefined],
    ['more than one call takes', jobs(230), async () => undefined],
    ['larger than one call takes', jobs(5, (at) => ({ at, text: 'ü"\\'.repeat(150_000) })), async () => undefined],
    ['to a queue that is paused', jobs(3), (queue) => queue.pause()],
    ['of which some are there already', jobs(5), (queue) => queue.add('before', {}, { jobId: 't_3' })],
    ['with one id twice', [...jobs(3), ...jobs(2, () => ({ other: true }))], async () => undefined],
  ])('leaves what BullMQ itself leaves: %s', async (_what, added, prepare) => {
    const theirs = new Queue<unknown>('file', { connection: redis, prefix: '{theirs}' });
    const ours = openQueue('file', '{ours}', redis);
    await Promise.all([theirs.waitUntilReady(), ours.waitUntilReady()]);
    for (const queue of [theirs, ours]) await prepare(queue);
    await theirs.addBulk(added.map(({ name, data, opts }) => ({ name, data, opts })));
    await jobAdder(redis)(ours, added);
    await expect.poll(() => redis.exists('{ours}:file:meta', '{theirs}:file:meta')).toBe(2);
    const [wanted, found] = [await contents('{theirs}'), await contents('{ours}')];
    expect(Object.keys(wanted).length).toBeGreaterThan(added.length > 5 ? 7 : 5);
    expect(found).toEqual(wanted);
    await Promise.all([theirs.close(), ours.close()]);
  });

  it('adds nothing for nothing', async () => {
    await jobAdder(redis)(openQueue('file', '{ours}', redis, { skipMetasUpdate: true }), []);
    expect(await redis.keys('*')).toEqual([]);
  });
});
