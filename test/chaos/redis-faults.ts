import { cpSync, existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Redis } from 'ioredis';
import type { TestRedis } from '../support/redis.ts';
import type { KernelLog } from './kernel-log.ts';
import type { Tickets } from './tickets.ts';

/** What can be done to Redis under live workers; one at a time. */
export interface RedisFaults {
  /** kill -9 and a restart on the same append-only file. */
  kill(): Promise<void>;
  /** The same, and the last second of the file is gone. */
  cut(): Promise<void>;
  flushAll(): Promise<void>;
  /** kill -9, and a start on an older copy of the data; the first call only takes the copy. */
  rollBack(): Promise<boolean>;
  close(): void;
}

interface Options {
  readonly redis: TestRedis;
  readonly tickets: Tickets;
  readonly kernelLog: KernelLog;
  /** Directory for copies of the data. */
  readonly snapshots: string;
  readonly probe: Redis;
}

const SAMPLE_MS = 100;
const LAST_SECOND_MS = 1000;
const PROBE_KEY = 'chaos:probe';

export function createRedisFaults({ redis, tickets, kernelLog, snapshots, probe }: Options): RedisFaults {
  const data = path.join(redis.directory, 'appendonlydir');
  const snapshot = path.join(snapshots, 'appendonlydir');
  let turn: Promise<unknown> = Promise.resolve();
  let probes = 0;
  const sizes: { at: number; bytes: number }[] = [];
  const sampler = setInterval(() => {
    sizes.push({ at: performance.now(), bytes: aofBytes(data) });
    while (sizes.length > 2 * (LAST_SECOND_MS / SAMPLE_MS)) sizes.shift();
  }, SAMPLE_MS);

  /** No push is under way, so what was accepted before is before the probe in the file. */
  function fault<T>(hurt: () => Promise<T>): Promise<T> {
    const done = turn.then(() =>
      tickets.withoutPushes(async () => {
        probes += 1;
        await probe.set(PROBE_KEY, probes);
        const result = await hurt();
        if ((await probe.get(PROBE_KEY)) !== String(probes)) tickets.lossHappened();
        await kernelLog.publish();
        return result;
      }),
    );
    turn = done.catch(() => undefined);
    return done;
  }

  return {
    kill: () =>
      fault(async () => {
        await redis.kill();
        await redis.restart();
      }),
    cut: () =>
      fault(async () => {
        await redis.kill();
        const then = sizes.findLast(({ at }) => at <= performance.now() - LAST_SECOND_MS) ?? sizes[0];
        redis.truncateAof(Math.max(1, aofBytes(data) - (then?.bytes ?? 0)));
        await redis.restart();
      }),
    flushAll: () => fault(() => redis.flushAll()),
    rollBack: () =>
      fault(async () => {
        if (!existsSync(snapshot)) {
          cpSync(data, snapshot, { recursive: true });
          return false;
        }
        await redis.kill();
        rmSync(data, { recursive: true });
        cpSync(snapshot, data, { recursive: true });
        rmSync(snapshot, { recursive: true });
        await redis.restart();
        return true;
      }),
    close: () => clearInterval(sampler),
  };
}

function aofBytes(directory: string): number {
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith('.incr.aof'))
      .reduce((sum, name) => sum + statSync(path.join(directory, name)).size, 0);
  } catch {
    return 0;
  }
}
