import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connected, createConnection } from '../../../queues/connection.ts';
import { createEnqueue } from '../../../queues/enqueue.ts';
import { createRedisLedger } from '../../../src/adapters/redis/ledger.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { deferred } from '../../conformance/deferred.ts';
import { withRedis } from '../../support/redis.ts';
import { noResults } from '../../support/results.ts';
import { queueRig, taskJob } from './fixture.ts';

/** With `everysec` an answer may leave before its write while the disk is slow: what was pushed just before a kill is then gone. */
const ON_DISK = { appendfsync: 'always' } as const;

describe('connections', () => {
  it('let a producer fail at once when Redis is away, and work again when it is back', async () => {
    await withRedis(async (server) => {
      const rig = await queueRig(server);
      await rig.enqueue.push(taskJob('before'));
      // It listens before the kill: of two connections the second is often ready first, and a lost one hears nothing any more.
      const gone = new Promise((settle) => rig.connection.once('close', settle));
      await server.kill();
      await gone;
      await expect(rig.enqueue.push(taskJob('during'))).rejects.toMatchObject({ code: 'REDIS_UNAVAILABLE' });
      await server.restart();
      await connected(rig.connection);
      expect(await rig.enqueue.push(taskJob('after'))).toMatchObject({ kind: 'accepted' });
      expect(await rig.enqueue.jobState('before')).toMatchObject({ state: 'waiting' });
      await rig[Symbol.asyncDispose]();
    }, ON_DISK);
  });

  it('let a worker ride out a restart of Redis: its ledger calls wait for the server', async () => {
    await withRedis(async (server) => {
      const redis = await server.client('ledger');
      const ledger = createRedisLedger(redis, { retentionMs: 60_000 });
      await ledger.markGeneration('g');
      await server.kill();
      const cancel = ledger.cancel('t', Date.now());
      await server.restart();
      expect(await cancel).toBe('requested');
    });
  });

  it('send the commands of one turn in one write, whoever asks', async () => {
    await withRedis(async (server) => {
      const redis = await server.client('worker');
      const ledger = createRedisLedger(redis, { retentionMs: 60_000 });
      const reads = async (): Promise<number> => Number(/^total_reads_processed:(\d+)/m.exec(await redis.info('stats'))?.[1]);
      const before = await reads();
      await Promise.all([...Array.from({ length: 20 }, (_, n) => redis.set(`k${n}`, n)), ledger.row('t'), redis.multi().set('a', 1).set('b', 2).exec()]);
      // One more is the question itself.
      expect((await reads()) - before).toBe(2);
    });
  });

  it('report a server that was never there, and can still be closed', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'writ-none-'));
    const target = { path: join(directory, 'no.sock'), password: 'x' };
    const told = deferred<Error>();
    const producer = createConnection(target, 'producer', told.resolve);
    const ledgerConnection = createConnection(target, 'ledger');
    const ledger = createRedisLedger(ledgerConnection, { retentionMs: 1 });
    const enqueue = createEnqueue({ connection: producer, ledger, results: noResults, clock: systemClock, pool: 'default' });
    await expect(enqueue.jobState('t')).rejects.toMatchObject({ code: 'REDIS_UNAVAILABLE' });
    expect((await told.promise).message).toContain('ENOENT');
    const row = ledger.row('t');
    const ready = connected(producer);
    ledgerConnection.disconnect();
    await expect(row).rejects.toMatchObject({ code: 'REDIS_UNAVAILABLE' });
    await enqueue.close();
    producer.disconnect();
    await expect(ready).rejects.toThrow('closed');
    rmSync(directory, { recursive: true });
  });
});
