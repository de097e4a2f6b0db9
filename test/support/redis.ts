import { mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { type ConnectionKind, connected, createConnection } from '../../queues/connection.ts';
import { createEmbeddedRedis, type EmbeddedRedisOptions } from '../../src/adapters/redis/embedded.ts';
import type { ServerTarget } from '../../src/adapters/redis/target.ts';

/** A real redis-server of one test file, with the means to hurt it. */
export interface TestRedis extends AsyncDisposable {
  readonly directory: string;
  target(): ServerTarget;
  pid(): number;
  isRunning(): boolean;
  /** A connection that `stop` closes. */
  client(kind?: ConnectionKind): Promise<Redis>;
  /** SIGKILL; the data directory stays. Resolves when the process is gone. */
  kill(): Promise<void>;
  /** Starts again on the same directory, after `kill` or while it runs. */
  restart(): Promise<void>;
  flushAll(): Promise<void>;
  /** Cuts the last bytes off the append-only file, like a power cut would. Only while the server is down. */
  truncateAof(bytes: number): void;
  /** Ends the server, closes the clients and removes the directory. */
  stop(): Promise<void>;
}

/** Starts a server in a temporary directory of its own. It never starts again by itself. */
export async function startTestRedis(options: Partial<EmbeddedRedisOptions> = {}): Promise<TestRedis> {
  const base = mkdtempSync(join(tmpdir(), 'writ-redis-'));
  const directory = join(base, 'redis');
  // A test run that is killed must not leave its servers behind.
  const embedded = createEmbeddedRedis({ directory, restart: false, launcher: ['setpriv', '--pdeathsig', 'KILL'], ...options });
  const clients: Redis[] = [];
  const running = (): number => {
    const pid = embedded.pid();
    if (pid === undefined) throw new Error('the test Redis does not run');
    return pid;
  };
  await embedded.start();

  const test: TestRedis = {
    directory,
    target: () => embedded.target(),
    pid: running,
    isRunning: () => embedded.pid() !== undefined,
    async client(kind = 'ledger') {
      const redis = createConnection(embedded.target(), kind);
      clients.push(redis);
      return connected(redis);
    },
    async kill() {
      process.kill(running(), 'SIGKILL');
      await embedded.stop();
    },
    async restart() {
      await embedded.stop();
      await embedded.start();
    },
    async flushAll() {
      const redis = await connected(createConnection(embedded.target(), 'ledger'));
      await redis.flushall();
      redis.disconnect();
    },
    truncateAof(bytes) {
      if (embedded.pid() !== undefined) throw new Error('the append-only file is open');
      const file = lastAof(join(directory, 'appendonlydir'));
      truncateSync(file, Math.max(0, statSync(file).size - bytes));
    },
    async stop() {
      for (const redis of clients) redis.disconnect();
      await embedded.stop();
      rmSync(base, { recursive: true, force: true });
    },
    [Symbol.asyncDispose]: () => test.stop(),
  };
  return test;
}

/** Runs `body` with a server of its own. */
export async function withRedis<T>(body: (redis: TestRedis) => Promise<T>, options: Partial<EmbeddedRedisOptions> = {}): Promise<T> {
  const redis = await startTestRedis(options);
  try {
    return await body(redis);
  } finally {
    await redis.stop();
  }
}

function lastAof(directory: string): string {
  const name = readdirSync(directory)
    .filter((file) => file.endsWith('.incr.aof'))
    .sort((a, b) => statSync(join(directory, a)).mtimeMs - statSync(join(directory, b)).mtimeMs)
    .at(-1);
  if (name === undefined) throw new Error(`there is no append-only file in ${directory}`);
  return join(directory, name);
}

/** How often a command was called, in scripts as well; `stats` is the answer to `INFO commandstats`. */
export function commandCount(stats: string, command: string): number {
  return Number(new RegExp(`^cmdstat_${command}:calls=(\\d+)`, 'm').exec(stats)?.[1] ?? 0);
}
