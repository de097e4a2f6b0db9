import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connected, createConnection } from '../../../queues/connection.ts';
import { createEmbeddedRedis, type EmbeddedRedis } from '../../../src/adapters/redis/embedded.ts';
import { embeddedTarget } from '../../../src/adapters/redis/embedded-files.ts';
import { scriptArgs } from '../../support/compiled/script.ts';

describe('the embedded Redis', () => {
  let base: string;
  let directory: string;
  const started: EmbeddedRedis[] = [];
  const create = (...args: Parameters<typeof createEmbeddedRedis>): EmbeddedRedis => {
    const embedded = createEmbeddedRedis(...args);
    started.push(embedded);
    return embedded;
  };
  const ask = async <T>(embedded: EmbeddedRedis, question: (redis: Awaited<ReturnType<typeof connected>>) => Promise<T>): Promise<T> => {
    const redis = await connected(createConnection(embedded.target(), 'ledger'));
    try {
      return await question(redis);
    } finally {
      redis.disconnect();
    }
  };

  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'writ-emb-'));
    directory = join(base, 'data', 'redis');
  });
  afterEach(async () => {
    for (const embedded of started.splice(0)) await embedded.stop();
    rmSync(base, { recursive: true, force: true });
  });

  it('answers on a private socket only, with a password, and neither is in an argument list', async () => {
    const embedded = create({ directory });
    await embedded.start();
    const target = embedded.target();
    if (!('path' in target)) throw new Error('not a socket');
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(statSync(join(directory, 'password')).mode & 0o777).toBe(0o600);
    expect(statSync(target.path).mode & 0o777).toBe(0o600);
    expect(readFileSync(`/proc/${embedded.pid()}/cmdline`, 'utf8')).not.toContain(target.password);
    const stranger = createConnection({ path: target.path, password: 'wrong' }, 'ledger');
    await expect(stranger.ping()).rejects.toThrow(/WRONGPASS|NOAUTH/);
    stranger.disconnect();
    const settings = await ask(embedded, (redis) => redis.config('GET', 'port', 'maxmemory-policy', 'appendonly', 'appendfsync', 'save'));
    expect(settings).toEqual(
      expect.arrayContaining(['port', '0', 'maxmemory-policy', 'noeviction', 'appendonly', 'yes', 'appendfsync', 'everysec', 'save', '']),
    );
  });

  it('starts and stops twice without harm, stops before it starts, and keeps password and data', async () => {
    const embedded = create({ directory });
    await embedded.stop();
    await embedded.start();
    await embedded.start();
    const before = embedded.target();
    await ask(embedded, (redis) => redis.set('k', 'v'));
    const pid = embedded.pid();
    await embedded.stop();
    await embedded.stop();
    expect(pid !== undefined && isRunning(pid)).toBe(false);
    expect(() => embedded.target()).toThrow(expect.objectContaining({ code: 'REDIS_UNAVAILABLE' }));
    await embedded.start();
    expect(embedded.target()).toEqual(before);
    expect(embeddedTarget(directory)).toEqual(before);
    expect(await ask(embedded, (redis) => redis.get('k'))).toBe('v');
  });

  it('refuses a directory that another running process serves, and says so', async () => {
    await create({ directory }).start();
    await expect(create({ directory }).start()).rejects.toMatchObject({ code: 'REDIS_UNAVAILABLE', message: expect.stringContaining(directory) });
    expect(await ask(started[0] as EmbeddedRedis, (redis) => redis.ping())).toBe('PONG');
  });

  it('ends the server of a process that was killed, and keeps every write', async () => {
    const parent = await startParent(directory);
    const orphan = parent.redisPid;
    const target = embeddedTarget(directory);
    const redis = await connected(createConnection(target, 'ledger'));
    await redis.set('written', 'just before');
    redis.disconnect();
    parent.process.kill('SIGKILL');
    await once(parent.process, 'exit');
    expect(isRunning(orphan)).toBe(true);

    const embedded = create({ directory });
    await embedded.start();
    expect(isRunning(orphan)).toBe(false);
    expect(embedded.pid()).not.toBe(orphan);
    expect(await ask(embedded, (again) => again.get('written'))).toBe('just before');
  });

  it('ends an orphan that does not answer any more', async () => {
    const parent = await startParent(directory);
    process.kill(parent.redisPid, 'SIGSTOP');
    parent.process.kill('SIGKILL');
    await once(parent.process, 'exit');
    const embedded = create({ directory, stopTimeoutMs: 100 });
    await embedded.start();
    expect(isRunning(parent.redisPid)).toBe(false);
    expect(await ask(embedded, (redis) => redis.ping())).toBe('PONG');
  });

  it('leaves a process alone that has only inherited the pid of an old server', async () => {
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'redis.pid'), String(process.pid));
    await create({ directory }).start();
  });

  it('refuses a socket on which somebody else listens', async () => {
    mkdirSync(directory, { recursive: true });
    const other = createServer().listen(join(directory, 'redis.sock'));
    await once(other, 'listening');
    await expect(create({ directory }).start()).rejects.toMatchObject({ code: 'REDIS_UNAVAILABLE', message: expect.stringContaining('redis.sock') });
    other.close();
  });

  it('works below a path that is too long for a socket address', async () => {
    const long = join(base, 'd'.repeat(100), 'e'.repeat(100), 'redis');
    const embedded = create({ directory: long });
    await embedded.start();
    expect(await ask(embedded, (redis) => redis.set('k', 'v'))).toBe('OK');
    await embedded.stop();
    await embedded.start();
    expect(await ask(embedded, (redis) => redis.get('k'))).toBe('v');
  });

  it('opens a loopback port when it is asked to', async () => {
    const free = createServer().listen(0, '127.0.0.1');
    await once(free, 'listening');
    const address = free.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    free.close();
    await once(free, 'close');
    const embedded = create({ directory, port });
    await embedded.start();
    const target = embedded.target();
    if (!('path' in target)) throw new Error('not a socket');
    const redis = await connected(createConnection({ url: `redis://:${target.password}@127.0.0.1:${port}` }, 'producer'));
    expect(await redis.config('GET', 'bind')).toEqual(['bind', '127.0.0.1 -::1']);
    redis.disconnect();
  });

  it('says what the server said when it does not come up, and what to install when there is none', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const address = taken.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    await expect(create({ directory, port }).start()).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      field: 'redis.port',
      message: expect.stringContaining('another program listens there'),
    });
    taken.close();
    await expect(create({ directory, binary: 'no-such-redis-server' }).start()).rejects.toMatchObject({
      code: 'REDIS_UNAVAILABLE',
      message: expect.stringContaining('installed'),
    });
    // The lock was given back.
    await create({ directory }).start();
  });

  it('starts again by itself when the server dies, with the same data', async () => {
    const embedded = create({ directory });
    await embedded.start();
    const redis = await connected(createConnection(embedded.target(), 'worker'));
    await redis.set('k', 'v');
    const first = embedded.pid() ?? 0;
    const back = new Promise<void>((settle) => redis.once('close', () => redis.once('ready', settle)));
    process.kill(first, 'SIGKILL');
    await back;
    expect(await redis.get('k')).toBe('v');
    redis.disconnect();
    expect(embedded.pid()).not.toBe(first);
    await embedded.stop();
  });

  it('is there again for whoever comes anew when somebody has removed its socket, with the same data', async () => {
    const embedded = create({ directory });
    await embedded.start();
    const redis = await connected(createConnection(embedded.target(), 'worker'));
    await redis.set('k', 'v');
    const back = new Promise<void>((settle) => redis.once('close', () => redis.once('ready', settle)));
    rmSync(join(directory, 'redis.sock'));
    await back;
    redis.disconnect();
    expect(await ask(embedded, (anew) => anew.get('k'))).toBe('v');
  });

  it('says that its files are damaged, and what can be done, instead of the log of a server that ended', async () => {
    const embedded = create({ directory });
    await embedded.start();
    await ask(embedded, (redis) => redis.set('k', 'v'));
    await embedded.stop();
    const files = join(directory, 'appendonlydir');
    const written = readdirSync(files).find((name) => name.endsWith('.incr.aof')) ?? '';
    writeFileSync(join(files, written), 'no command of Redis\r\n');
    await expect(embedded.start()).rejects.toMatchObject({
      code: 'REDIS_UNAVAILABLE',
      message: expect.stringMatching(/are damaged: mend them with redis-check-aof, or put/),
    });
    renameSync(directory, `${directory}-aside`);
    await embedded.start();
    expect(await ask(embedded, (redis) => redis.get('k'))).toBeNull();
  });

  it('stops while the server has not answered yet, and leaves nothing behind', async () => {
    let tell: (pid: number) => void;
    const here = new Promise<number>((settle) => {
      tell = settle;
    });
    const mute = [process.execPath, '-e', 'console.log("here", process.pid); setInterval(() => 0, 1000)'];
    const embedded = create({
      directory,
      startTimeoutMs: 2 ** 31 - 1,
      launcher: mute,
      log: (line) => line.startsWith('here') && tell(Number(line.split(' ')[1])),
    });
    const starting = embedded.start();
    starting.catch(() => undefined);
    const pid = await here;
    await embedded.stop();
    await expect(starting).rejects.toMatchObject({ code: 'REDIS_UNAVAILABLE' });
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    await create({ directory }).start();
  });

  it('stops while the server is being started again', async () => {
    let starts = 0;
    let secondStart: () => void;
    const startedAgain = new Promise<void>((settle) => {
      secondStart = settle;
    });
    const log = (line: string): void => {
      if (line.endsWith('Reading config from stdin') && ++starts === 2) secondStart();
    };
    const told: string[] = [];
    const embedded = create({ directory, log, onRestart: (said) => told.push(said) });
    await embedded.start();
    expect(told).toEqual([]);
    process.kill(embedded.pid() ?? 0, 'SIGKILL');
    await startedAgain;
    expect(told).toEqual([expect.stringContaining('ready to accept connections')]);
    await embedded.stop();
    expect(embedded.pid()).toBeUndefined();
    await create({ directory }).start();
  });

  it('closes a directory that was open to others', async () => {
    mkdirSync(directory, { recursive: true, mode: 0o755 });
    chmodSync(directory, 0o755);
    await create({ directory }).start();
    expect(statSync(directory).mode & 0o777).toBe(0o700);
  });
});

/** A dead process that nobody has waited for is still in /proc, as a zombie. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

async function startParent(directory: string): Promise<{ process: ChildProcess; redisPid: number }> {
  const child = spawn(process.execPath, scriptArgs(new URL('./embedded-parent.ts', import.meta.url), [directory]), {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { process: child, redisPid: Number(line.toString()) };
}
