import { Queue, Worker } from 'bullmq';
import type { Cluster } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ConnectionKind, connected, createConnection } from '../../../queues/connection.ts';
import { createRedisSignals } from '../../../src/adapters/redis/signals.ts';
import { patient } from '../../support/patience.ts';
import { startTestCluster, type TestCluster } from '../../support/redis-cluster.ts';
import { slotOf } from '../../support/slots.ts';
import { endOf, lost } from '../queues/connection-uses.ts';

const SHARDS = ['{writ-0}', '{writ-1}', '{writ-2}', '{writ-3}'];
/** BullMQ gives a wait for a job up after this and a second more, and connects anew. */
const DRAIN_S = 1;

/** A cluster without replicas: while a master is away no slot is served, and every server says `cluster_state:fail`. */
describe('a master that is lost and comes back', () => {
  let cluster: TestCluster;
  const open: Cluster[] = [];
  beforeEach(async () => {
    cluster = await startTestCluster({ nodeTimeoutMs: 500 });
  });
  afterEach(async () => {
    for (const connection of open.splice(0)) connection.disconnect();
    await cluster.stop();
  });

  const connect = async (kind: ConnectionKind): Promise<Cluster> => {
    const connection = (await connected(createConnection(cluster.target(), kind))) as Cluster;
    open.push(connection);
    return connection;
  };

  /** A worker for each shard; `anew` resolves when each has begun to connect anew and has found that the cluster does not serve. */
  async function workers() {
    const connection = await connect('worker');
    const made = vi.spyOn(connection, 'duplicate');
    const done = SHARDS.map(() => 0);
    const all = SHARDS.map((prefix, at) => {
      const work = async (): Promise<void> => {
        done[at] = (done[at] ?? 0) + 1;
      };
      return new Worker('file', work, { connection, prefix, drainDelay: DRAIN_S }).on('error', () => undefined);
    });
    await Promise.all(all.map((worker) => worker.waitUntilReady()));
    const blocking = made.mock.results.map(({ value }) => value as Cluster);
    expect(blocking).toHaveLength(SHARDS.length);
    const anew = () =>
      Promise.all(
        blocking.map(async (one) => {
          await endOf(one);
          await lost(one, 1);
        }),
      );
    return { done, anew, close: () => Promise.all(all.map((worker) => worker.close())) };
  }

  // Much of it is waiting: what is asked of the lost master is tried again for a minute.
  it('leaves every queue of every shard served, and nothing that a stop would wait for', { timeout: patient(480_000) }, async () => {
    const producer = await connect('producer');
    const queues = SHARDS.map((prefix) => new Queue('file', { connection: producer, prefix }).on('error', () => undefined));
    const push = (): Promise<unknown> => Promise.all(queues.map((queue) => queue.add('task', {})));
    const { done, anew, close } = await workers();
    await push();
    await expect.poll(() => done).toEqual([1, 1, 1, 1]);

    const looked = anew();
    const port = await cluster.masterOf(slotOf('{writ-3}'));
    await cluster.kill(port);
    await looked;
    await cluster.restart(port);
    await cluster.settled();
    await expect
      .poll(() =>
        push().then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    await expect.poll(() => Math.min(...done)).toBeGreaterThan(1);
    await close();
    await Promise.all(queues.map((queue) => queue.close()));
  });

  it('holds nobody up who stops while it is away and closes the connection', async () => {
    const { anew, close } = await workers();
    const looked = anew();
    await cluster.kill(await cluster.masterOf(slotOf('{writ-3}')));
    await looked;
    const closed = close();
    for (const connection of open) connection.disconnect();
    await closed;
  });

  it.each(SHARDS.slice(1))('with %s: the ledger is asked and signals are heard again', async (shard) => {
    const [ledger, subscriber] = await Promise.all([connect('ledger'), connect('subscriber')]);
    const heard: string[] = [];
    await createRedisSignals(subscriber).onCancel((taskId) => void heard.push(taskId));
    const port = await cluster.masterOf(slotOf(shard));
    await cluster.kill(port);
    const asked = ledger.set(`${shard}:k`, 'v');
    await cluster.restart(port);
    await cluster.settled();
    expect(await asked).toBe('OK');
    await expect
      .poll(async () => {
        await ledger.publish('{wl-00}:cancel', 't1');
        return heard.includes('t1');
      })
      .toBe(true);
  });
});
