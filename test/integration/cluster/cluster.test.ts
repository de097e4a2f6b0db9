import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBoardQueues } from '../../../queues/board-queues.ts';
import { connected, createConnection } from '../../../queues/connection.ts';
import { createEnqueue } from '../../../queues/enqueue.ts';
import { createStatusReader } from '../../../queues/queue-status.ts';
import { claimShards } from '../../../queues/shard-claim.ts';
import { queueShards } from '../../../queues/shards.ts';
import { createTaskFeed } from '../../../queues/task-feed.ts';
import { createMemoryTaskIndex } from '../../../src/adapters/memory/task-index.ts';
import { checkRedisPolicy } from '../../../src/adapters/redis/policy.ts';
import type { RedisConnection } from '../../../src/adapters/redis/redis-connection.ts';
import { waitForReplicas } from '../../../src/adapters/redis/replicated.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { envelopeOf, fileStep, type PlanRig, startPlanRig } from '../../support/plan-rig.ts';
import { startTestCluster, type TestCluster } from '../../support/redis-cluster.ts';
import { manifestOf, type Rig, startRig } from '../../support/rig.ts';
import { slotOf } from '../../support/slots.ts';

/** A real cluster of three masters; two pools under one kernel, four shards and the one of before. */
describe('a Redis Cluster', () => {
  const SHARDS = { shards: 4, earlier_shards: [1] };
  let cluster: TestCluster;
  let plans: PlanRig;
  let east: Rig;
  let west: Rig;
  let redis: RedisConnection;

  beforeAll(async () => {
    cluster = await startTestCluster();
    plans = await startPlanRig({ cluster: cluster.target(), config: { queue: SHARDS } });
    east = plans.rig;
    west = await startRig({ cluster: cluster.target(), keys: east.keys, config: { queue: SHARDS, pool: { id: 'west' } } });
    redis = await connected(createConnection(cluster.target(), 'ledger'));
    await Promise.all([east.startWorker(), west.startWorker()]);
  });
  afterAll(async () => {
    redis?.disconnect();
    await west?.stop();
    await plans?.[Symbol.asyncDispose]();
    await cluster?.stop();
  });

  const file = (rig: Rig, name: string): string => {
    writeFileSync(join(rig.base, name), name);
    return join(rig.base, name);
  };

  it('takes the tasks of two pools in all shards, and answers each once', async () => {
    const pushed = await Promise.all(
      [east, west].flatMap((rig) =>
        Array.from({ length: 24 }, async (_, n) => {
          const manifest = manifestOf('FILE_MOVE', file(rig, `a${n}`), join(rig.base, `b${n}`));
          return { rig, manifest, receipt: await rig.push(manifest) };
        }),
      ),
    );
    const answers = await Promise.all(pushed.map(({ rig, manifest }) => rig.answer(manifest.task_id)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(['SUCCESS']));
    for (const rig of [east, west])
      for (let n = 0; n < 24; n += 1) expect([existsSync(join(rig.base, `a${n}`)), existsSync(join(rig.base, `b${n}`))]).toEqual([false, true]);
    expect(new Set(pushed.map(({ manifest }) => queueShards(SHARDS).home(manifest.task_id))).size).toBe(4);
    const [again] = pushed;
    if (again) expect(await east.push(again.manifest)).toMatchObject({ kind: 'finished' });
  });

  it('walks a plan whose steps lie in shards of their own', async () => {
    const at = (name: string): string => join(east.base, name);
    file(east, 'p.txt');
    const { envelope } = await plans.run(envelopeOf([fileStep('FILE_COPY', at('p.txt'), at('q.txt')), fileStep('FILE_MOVE', at('q.txt'), at('r.txt'))]));
    expect(envelope.error).toBeNull();
    expect([existsSync(at('p.txt')), existsSync(at('q.txt')), existsSync(at('r.txt'))]).toEqual([true, false, true]);
  });

  it('shows all shards on the board and, added up, in the status', async () => {
    const reader = createStatusReader({ connection: redis, pool: 'west', shards: queueShards(SHARDS), workers: west.places.workers });
    const { queues, ledger, workers } = await reader.status();
    await reader.close();
    expect(queues.find(({ queue }) => queue === 'file@west')).toMatchObject({ completed: 24, waiting: 0, failed: 0, workers: 1 });
    expect([ledger.markers, workers.map(({ alive }) => alive)]).toEqual([256, [true]]);
    const board = openBoardQueues({ connection: redis, pool: 'west', shards: queueShards(SHARDS) });
    const names = board.queues.filter(({ queueName }) => queueName === 'file@west').map(({ name }) => name);
    expect(names).toEqual(['{writ-0}:file@west', '{writ-1}:file@west', '{writ-2}:file@west', '{writ-3}:file@west', 'file@west']);
    const shown = await Promise.all(board.queues.map(({ jobs }) => jobs(['completed'], 0, 99, ({ id }) => id)));
    expect(shown.flat()).toHaveLength(24);
    await board[Symbol.asyncDispose]();
  });

  it('feeds the task index from every shard', async () => {
    const index = createMemoryTaskIndex({ maxTasks: 1000 });
    const feed = createTaskFeed({ connection: redis, pool: 'west', shards: queueShards(SHARDS), index, results: west.results });
    await feed.start();
    const listed = async () => (await index.list({ state: 'success' }, { limit: 100 })).tasks.length;
    // Its own 24 by their jobs; the other pool's 24 tasks and two steps by the ledger, which all pools share.
    await expect.poll(listed).toBe(50);
    const manifest = manifestOf('FILE_MOVE', file(west, 'late'), join(west.base, 'later'));
    await west.push(manifest);
    await expect.poll(listed).toBe(51);
    await feed.stop();
  });

  it('drains the one shard of before, finds its jobs, and refuses a setting that forgets it', async () => {
    const before = createEnqueue({ connection: redis, ledger: east.ledger, results: east.results, clock: systemClock, pool: 'default' });
    const manifest = manifestOf('FILE_MOVE', file(east, 'old'), join(east.base, 'new'));
    await before.push({ v: 1, manifest, lease: await east.lease(manifest) });
    expect((await east.answer(manifest.task_id)).status).toBe('SUCCESS');
    await expect.poll(async () => (await east.enqueue.jobState(manifest.task_id))?.state).toBe('completed');
    await before.close();
    await claimShards(redis, SHARDS);
    await expect(claimShards(redis, { shards: 2, earlier_shards: [1] })).rejects.toMatchObject({ code: 'INVALID_CONFIG', field: 'queue.earlier_shards' });
    await claimShards(redis, { shards: 2, earlier_shards: [4] });
  });

  it('is looked at server by server: one that may evict is refused', async () => {
    expect(await checkRedisPolicy(redis)).toEqual([]);
    const port = await cluster.masterOf(slotOf('{writ-2}'));
    await cluster.node(port).config('SET', 'maxmemory-policy', 'allkeys-lru');
    await expect(checkRedisPolicy(redis)).rejects.toMatchObject({ code: 'REDIS_POLICY' });
    await cluster.node(port).config('SET', 'maxmemory-policy', 'noeviction');
  });

  it('does not acknowledge a push that too few replicas have', async () => {
    expect(waitForReplicas(redis, { replicas: 0, ms: 10 })).toBeUndefined();
    await expect(waitForReplicas(redis, { replicas: 1, ms: 10 })?.(['{writ-0}', '{writ-3}'])).rejects.toMatchObject({
      code: 'REDIS_UNAVAILABLE',
      message: expect.stringContaining('0 of 1 replicas'),
    });
  });
});
