import { Worker } from 'bullmq';
import { afterAll, beforeAll, describe, expect, it, onTestFailed } from 'vitest';
import { QUEUE_PREFIX } from '../../../queues/catalog.ts';
import { type ConnectionKind, connected, createConnection } from '../../../queues/connection.ts';
import { createEnqueue } from '../../../queues/enqueue.ts';
import { openQueue } from '../../../queues/open-queue.ts';
import { createRedisLedger } from '../../../src/adapters/redis/ledger.ts';
import { duplicateOf, type RedisConnection } from '../../../src/adapters/redis/redis-connection.ts';
import { redisCall } from '../../../src/adapters/redis/redis-error.ts';
import { createRedisSignals } from '../../../src/adapters/redis/signals.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { isWritError } from '../../../src/core/errors.ts';
import { deferred } from '../../conformance/deferred.ts';
import { freePorts } from '../../support/ports.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';
import { type ProxyPoint, type RedisProxy, redisProxy } from '../../support/redis-proxy.ts';
import { noResults } from '../../support/results.ts';
import { taskJob } from './fixture.ts';

/** What a connection of each kind is used for. */
const USES: Readonly<Record<ConnectionKind, (connection: RedisConnection) => { call(): Promise<unknown>; close?(): Promise<void> }>> = {
  producer(connection) {
    const ledger = createRedisLedger(connection, { retentionMs: 60_000 });
    const enqueue = createEnqueue({ connection, ledger, results: noResults, clock: systemClock, pool: 'default' });
    return { call: () => enqueue.push(taskJob(nextTask())), close: () => enqueue.close() };
  },
  ledger(connection) {
    const ledger = createRedisLedger(connection, { retentionMs: 60_000 });
    // INFO is written before the connection is ready, as its own look is; a lost one is not sent again.
    return { call: () => Promise.all([ledger.cancel(nextTask(), 1), redisCall(() => connection.info('server'))]) };
  },
  worker(connection) {
    const queue = openQueue('file@default', QUEUE_PREFIX, connection);
    return { call: () => redisCall(() => queue.add('FILE_MOVE', {})), close: () => queue.close() };
  },
  subscriber(connection) {
    const signals = createRedisSignals(connection);
    return { call: () => signals.onCancel(() => undefined) };
  },
};

let tasks = 0;
function nextTask(): string {
  tasks += 1;
  return `t${tasks}`;
}

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

/** Short enough to wait for; a slow machine may find a server silent that is not, and then only asks again. */
const SILENCE_MS = 300;

describe('a server that accepts and then says nothing', () => {
  let server: TestRedis;
  beforeAll(async () => {
    server = await startTestRedis();
  });
  afterAll(() => server.stop());

  /** A use of a connection through a proxy. */
  async function trial(
    kind: ConnectionKind,
    body: (trial: { proxy: RedisProxy; call(): Promise<'answered' | 'unavailable'> }) => Promise<void>,
  ): Promise<void> {
    await using proxy = await redisProxy(server.target());
    const connection = createConnection(proxy.target, kind, undefined, SILENCE_MS);
    const { call, close } = USES[kind](connection);
    await body({ proxy, call: () => call().then(() => 'answered' as const, unavailable) });
    const ended = endOf(connection);
    connection.disconnect();
    await ended;
    await close?.();
  }
  const forEver = new Promise<void>(() => undefined);

  describe.each<ConnectionKind>(['ledger', 'worker', 'subscriber'])('%s', (kind) => {
    it.each(['asked', 'done'] as const)('asks again on another connection when a command of its first one is left at `%s`', async (moment) => {
      await trial(kind, async ({ proxy, call }) => {
        expect(await call()).toBe('answered');
        let first: number | undefined;
        proxy.fault = (point) => {
          if (point.moment !== moment) return undefined;
          first ??= point.connection;
          return point.connection === first ? forEver : undefined;
        };
        expect(await call()).toBe('answered');
        expect(first).toBeDefined();
      });
    });

    it('works again when the server finds its voice', async () => {
      await trial(kind, async ({ proxy, call }) => {
        let isSilent = true;
        const refused = deferred();
        let connections = 0;
        proxy.fault = ({ connection, moment }) => {
          connections = Math.max(connections, connection);
          // The first connections were given up.
          if (connections > 1) refused.resolve();
          return isSilent && moment === 'open' ? forEver : undefined;
        };
        const first = call();
        await refused.promise;
        isSilent = false;
        expect(kind === 'ledger' ? ['answered', 'unavailable'] : ['answered']).toContain(await first);
        for (;;) if ((await call()) === 'answered') break;
      });
    });
  });

  it.each(['open', 'asked', 'done'] as const)('never leaves a call of the ledger without an answer, whatever the server left unsaid (%s)', async (silent) => {
    await trial('ledger', async ({ proxy, call }) => {
      // The handshake is answered, where it is about commands.
      proxy.fault = ({ moment, command }) => (moment === silent && (silent === 'open' || command.startsWith('eval')) ? forEver : undefined);
      expect(await call()).toBe('unavailable');
    });
  });

  it('has recorded an outcome whose answer it kept to itself: the record that is sent again changes nothing', async () => {
    await using proxy = await redisProxy(server.target());
    const connection = createConnection(proxy.target, 'ledger', undefined, SILENCE_MS);
    const ledger = createRedisLedger(connection, { retentionMs: 60_000 });
    await ledger.markGeneration('g');
    const claim = await ledger.claim({ taskId: 'said', manifestSha256: 'a'.repeat(64), jobKey: 'file:1', instance: 'w', exp: 4_000_000_000, now: 1 });
    expect(claim).toEqual({ kind: 'new', epoch: 1 });
    const outcome = { taskId: 'said', epoch: 1, status: 'SUCCESS', errorCode: undefined, result: 'signed', now: 2 } as const;
    // The script is there: the next command is the record itself.
    expect(await ledger.record({ ...outcome, epoch: 9 })).toBe('stale');
    let kept = 0;
    proxy.fault = ({ moment, command }) => {
      if (kept > 0 || moment !== 'done' || command !== 'evalsha') return undefined;
      kept += 1;
      return forEver;
    };
    expect(await ledger.record(outcome)).toBe('stale');
    expect(await ledger.row('said')).toMatchObject({ state: 'success', epoch: 1, result: 'signed' });
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

/** Not `once` of node:events: the errors that come before are expected. */
function endOf(connection: RedisConnection): Promise<void> {
  return new Promise((settle) => void connection.on('end', settle));
}

function lost(connection: RedisConnection, times: number): Promise<void> {
  const { promise, resolve } = deferred();
  let count = 0;
  connection.on('reconnecting', () => {
    count += 1;
    if (count === times) resolve();
  });
  return promise;
}

function unavailable(error: unknown): 'unavailable' {
  if (isWritError(error) && error.code === 'REDIS_UNAVAILABLE') return 'unavailable';
  throw error;
}
