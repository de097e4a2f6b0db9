import { Worker } from 'bullmq';
import { afterAll, beforeAll, describe, expect, it, onTestFailed } from 'vitest';
import { QUEUE_PREFIX } from '../../../queues/catalog.ts';
import { type ConnectionKind, connected, createConnection } from '../../../queues/connection.ts';
import { duplicateOf, type RedisConnection } from '../../../src/adapters/redis/redis-connection.ts';
import { redisCall } from '../../../src/adapters/redis/redis-error.ts';
import { deferred } from '../../conformance/deferred.ts';
import { freePorts } from '../../support/ports.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';
import { type ProxyPoint, type RedisProxy, redisProxy } from '../../support/redis-proxy.ts';

import { endOf, lost, USES, unavailable } from './connection-uses.ts';

/** One connection through a proxy of its own, and what became of the calls on it. */
interface Trial {
  readonly proxy: RedisProxy;
  readonly connection: RedisConnection;
  /** How every call so far has ended; it never settles while one of them has no answer. */
  outcomes(): Promise<readonly ('answered' | 'unavailable')[]>;
  call(): Promise<'answered' | 'unavailable'>;
  /** Resolves when the connection has ended. */
  close(): Promise<void>;
}

describe('a connection that is cut at any point', () => {
  let server: TestRedis;
  beforeAll(async () => {
    server = await startTestRedis();
  });
  afterAll(() => server.stop());

  /** Calls at once, again while the connection shakes hands, and when it is ready. */
  async function trial(kind: ConnectionKind, body: (trial: Trial) => Promise<void>): Promise<void> {
    await using proxy = await redisProxy(server.target());
    const connection = createConnection(proxy.target, kind);
    const { call, close } = USES[kind](connection);
    const calls: Promise<'answered' | 'unavailable'>[] = [];
    const called = (): Promise<'answered' | 'unavailable'> => {
      const ending = call().then(() => 'answered' as const, unavailable);
      calls.push(ending);
      return ending;
    };
    const ended = endOf(connection);
    connection.once('connect', () => void called()).once('ready', () => void called());
    void called();
    await body({
      proxy,
      connection,
      call: called,
      outcomes: () => Promise.all(calls),
      async close() {
        connection.disconnect();
        await ended;
        await close?.();
      },
    });
  }

  /** The points that a connection of a kind passes when nothing goes wrong. */
  async function pointsOf(kind: ConnectionKind): Promise<readonly ProxyPoint[]> {
    const points: ProxyPoint[] = [];
    await trial(kind, async ({ proxy, connection, outcomes, close }) => {
      proxy.fault = (point) => {
        points.push(point);
        return undefined;
      };
      await connected(connection);
      await outcomes();
      await close();
    });
    return points;
  }

  /** Tries every point at the same time, each on a connection of its own. */
  async function atEveryPoint(kind: ConnectionKind, cuts: 1 | 2, body: (trial: Trial) => Promise<void>): Promise<void> {
    const points = await pointsOf(kind);
    expect(points.map(({ command }) => command)).toEqual(expect.arrayContaining(['auth', 'client', 'info']));
    const open = new Set(points);
    onTestFailed(() => expect([...open], 'cut here, something had no answer').toEqual([]));
    await Promise.all(
      points.map(async (point, at) => {
        await trial(kind, async (cut) => {
          const left = cutAt(cut.proxy, at, cuts);
          await body(cut);
          expect(left()).toBe(0);
        });
        open.delete(point);
      }),
    );
  }

  describe.each<ConnectionKind>(['producer', 'ledger', 'worker', 'subscriber'])('%s', (kind) => {
    it.each([1, 2] as const)('answers every call and works again when %i connections were lost in a row', async (cuts) => {
      await atEveryPoint(kind, cuts, async ({ connection, call, outcomes, close }) => {
        await lost(connection, cuts);
        await connected(connection);
        expect(await call()).toBe('answered');
        await outcomes();
        await close();
      });
    });

    it.each([1, 2] as const)('answers every call and ends when it is closed after %i lost connections', async (cuts) => {
      await atEveryPoint(kind, cuts, async ({ connection, call, outcomes, close }) => {
        await lost(connection, cuts);
        void call();
        await close();
        await outcomes();
        expect(await call()).toBe('unavailable');
        await expect(connected(connection)).rejects.toThrow('closed');
      });
    });
  });

  it.each(['is away', 'breaks off every handshake'])('lets a worker of BullMQ end while Redis %s', async (how) => {
    await using proxy = await redisProxy(server.target());
    const connection = await connected(createConnection(proxy.target, 'worker'));
    const waits = deferred();
    proxy.fault = ({ command, moment }) => {
      if (command === 'bzpopmin' && moment === 'asked') waits.resolve();
      return undefined;
    };
    const worker = new Worker('idle', async () => undefined, { connection, prefix: QUEUE_PREFIX });
    worker.on('error', () => undefined);
    await waits.promise;
    proxy.fault = ({ command, moment }) => (command === 'info' && moment === 'done' ? 'cut' : undefined);
    const gone = lost(connection, 1);
    await proxy.shut();
    if (how !== 'is away') await proxy.open();
    await gone;
    await worker.close();
    const ended = endOf(connection);
    connection.disconnect();
    await ended;
  });
});

describe('a connection to a cluster that is away', () => {
  it.each<ConnectionKind>(['producer', 'ledger', 'worker', 'subscriber'])(
    '%s: ends when it is closed before the next try, and so does every call',
    async (kind) => {
      const [port] = await freePorts(1);
      const connection = createConnection({ url: `redis://127.0.0.1:${port}`, cluster: [] }, kind);
      const again = duplicateOf(connection, {});
      again.on('error', () => undefined);
      for (const redis of [connection, again]) {
        await lost(redis, 1);
        const call = redisCall(() => redis.get('k')).then(() => 'answered', unavailable);
        const ended = endOf(redis);
        redis.disconnect();
        await ended;
        expect(await call).toBe('unavailable');
      }
    },
  );
});

/** Cuts at the point of that number, and then, once more, the next connection at the end of its handshake. */
function cutAt(proxy: RedisProxy, at: number, cuts: 1 | 2): () => number {
  let passed = 0;
  let left: number = cuts;
  let last = Number.POSITIVE_INFINITY;
  proxy.fault = ({ connection, moment, command }) => {
    const first = left === cuts && passed === at;
    const again = left < cuts && left > 0 && connection > last && command === 'info' && moment === 'done';
    passed += 1;
    if (!first && !again) return undefined;
    left -= 1;
    last = connection;
    return 'cut';
  };
  return () => left;
}
