import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { QUEUE_PREFIX } from '../../../queues/catalog.ts';
import { createPlanEnds } from '../../../queues/plan-ends.ts';
import { planKey } from '../../../src/adapters/redis/keys.ts';
import { createRedisPlanViews } from '../../../src/adapters/redis/plan-views.ts';
import { systemClock } from '../../../src/core/clock.ts';
import type { Lifecycle } from '../../../src/core/lifecycle.ts';
import type { EndedPlan, KnownPlan, PlanEnds, PlanHistories } from '../../../src/core/ports/index.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';

const id = (letter: string): string => letter.repeat(64);
const NEVER = new AbortController().signal;
const noJournal: Pick<PlanHistories, 'list'> = { list: () => ({ plans: [] }) };

describe('ends of plans on a real Redis', () => {
  let server: TestRedis;
  let redis: Redis;
  let ends: PlanEnds & Lifecycle;
  beforeAll(async () => {
    server = await startTestRedis();
    redis = await server.client();
    ends = createPlanEnds({ connection: redis, pool: 'default', histories: noJournal, clock: systemClock });
    await ends.start();
  });
  afterAll(async () => {
    await ends.stop();
    await server[Symbol.asyncDispose]();
  });

  /** BullMQ's own words about a job, as its scripts write them. */
  const say = async (jobId: string, event: string): Promise<void> => {
    await redis.xadd(`${QUEUE_PREFIX}:plan:events`, '*', 'event', event, 'jobId', jobId);
  };
  const lookFrom = async (place: string) => {
    const look = await ends.after(place, NEVER);
    if (look === 'lost') throw new Error('nothing is lost here');
    return look;
  };

  it('tells the plans whose own job has completed, failed or gone, and no other job', async () => {
    const { place } = await ends.here();
    for (const [jobId, event] of [
      [`p_${id('a')}`, 'completed'],
      [`p_${id('b')}`, 'failed'],
      [`p_${id('c')}`, 'active'],
      [`p_${id('d')}`, 'failed'],
      [`p_${id('d')}`, 'waiting'],
      ['somebodys-own', 'completed'],
      [`p_${id('e')}`, 'removed'],
    ] as const)
      await say(jobId, event);
    const look = await lookFrom(place);
    expect(look.ended.map(({ planSha256 }) => planSha256.slice(0, 1))).toEqual(['a', 'b', 'e']);
    expect((await lookFrom(look.place)).ended).toEqual([]);
    expect((await lookFrom(place)).ended).toHaveLength(3);
  });

  it('is over at once when it is asked to stop, in the midst of its wait', async () => {
    const { place } = await ends.here();
    const own = createPlanEnds({ connection: redis, pool: 'default', histories: noJournal, clock: systemClock });
    await own.start();
    const stopping = new AbortController();
    const look = own.after(place, stopping.signal);
    await expect.poll(() => redis.info('clients'), { timeout: PATIENCE_MS }).toContain('blocked_clients:1');
    stopping.abort();
    await expect(look).rejects.toMatchObject({ code: 'REDIS_UNAVAILABLE' });
    await own.stop();
  });

  it('says that events are lost when the stream was trimmed past the place, is gone, or went back, and for a place that is none', async () => {
    await say(`p_${id('a')}`, 'completed');
    const { place } = await ends.here();
    for (let n = 0; n < 3; n += 1) await say(`p_${id('b')}`, 'completed');
    await redis.xtrim(`${QUEUE_PREFIX}:plan:events`, 'MAXLEN', 1);
    expect(await ends.after(place, NEVER)).toBe('lost');
    const later = await ends.here();
    await redis.flushall();
    expect(await ends.after(later.place, NEVER)).toBe('lost');
    await say(`p_${id('c')}`, 'completed');
    expect(await ends.after(later.place, NEVER)).toBe('lost');
    for (const broken of ['', '{}', 'x', '{"{writ}:plan":"forged"}']) expect(await ends.after(broken, NEVER)).toBe('lost');
  });

  it('looks at every view and at the journal for what has ended since, whatever time a view claims', async () => {
    const views = createRedisPlanViews({ redis, retentionMs: 1e9 });
    const now = Date.now();
    const show = (letter: string, state: 'success' | 'failure' | 'running', at: number) =>
      views.show(id(letter), { generation: 0, state, stepsDone: 0, current: undefined, error: undefined, result: undefined }, now / 1000 + 1000, at);
    await show('a', 'success', now);
    await show('b', 'failure', now - 5_000);
    await show('c', 'success', now - 50_000);
    await show('d', 'running', now);
    await show('e', 'success', now);
    await redis.hset(planKey(id('e')), 'updated', '1e300');
    const asked: unknown[] = [];
    const known = (state: KnownPlan['state'], letter: string): KnownPlan => ({ id: id(letter), state, stepsDone: 1, error: undefined, updated: now });
    const histories: Pick<PlanHistories, 'list'> = {
      list(filter, { cursor }) {
        asked.push([filter.state, filter.since, cursor]);
        if (filter.state !== 'success') return { plans: [known('failure', 'f')] };
        return cursor === undefined ? { plans: [known('success', '1')], next: 'more' } : { plans: [known('success', '2')] };
      },
    };
    const own = createPlanEnds({ connection: redis, pool: 'default', histories, clock: systemClock });
    await own.start();
    const found: EndedPlan[] = [];
    for await (const some of own.since(now - 10_000)) found.push(...some);
    await own.stop();
    expect(found.map(({ planSha256 }) => planSha256.slice(0, 1)).sort()).toEqual(['1', '2', 'a', 'b', 'e', 'f']);
    expect(found.every(({ at }) => at <= Date.now())).toBe(true);
    const since = new Date(now - 10_000).toISOString();
    expect(asked).toEqual([
      ['success', since, undefined],
      ['success', since, 'more'],
      ['failure', since, undefined],
    ]);
  });
});
