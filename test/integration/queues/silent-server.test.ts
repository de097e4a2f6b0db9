import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConnectionKind, createConnection } from '../../../queues/connection.ts';
import { createRedisLedger } from '../../../src/adapters/redis/ledger.ts';
import { deferred } from '../../conformance/deferred.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';
import { type RedisProxy, redisProxy } from '../../support/redis-proxy.ts';

import { endOf, USES, unavailable } from './connection-uses.ts';

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
