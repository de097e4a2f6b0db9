import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { messageOf, WritError } from '../../core/errors.ts';
import { startProgram } from '../processes/program.ts';
import { PID_FILE, SOCKET } from './embedded-files.ts';
import { MAX_VALUE_BYTES } from './policy.ts';
import { type RedisTarget, targetOptions } from './target.ts';

export interface ServerSettings {
  readonly directory: string;
  readonly password: string;
  /** Opens 127.0.0.1 and ::1 beside the socket. */
  readonly port?: number | undefined;
  /** Default true: queued jobs survive a restart. */
  readonly appendOnly?: boolean | undefined;
  readonly appendfsync?: 'always' | 'everysec' | 'no' | undefined;
  readonly maxmemoryBytes?: number | undefined;
  readonly binary?: string | undefined;
  /** Words before the binary: a program that starts it in another way. */
  readonly launcher?: readonly string[] | undefined;
  readonly log?: ((line: string) => void) | undefined;
}

/** A running redis-server. */
export interface Server {
  readonly child: Pick<ChildProcess, 'pid' | 'kill' | 'exitCode' | 'signalCode'>;
  readonly exited: Promise<void>;
  /** What it said last, for error messages. */
  readonly lastLines: () => string;
}

const LAST_LINES = 12;
const POLL_MS = 15;

/**
 * Starts a redis-server as a child in its own process group, so that Ctrl-C reaches it through us, after the workers.
 * Its configuration goes in over standard input: the password is never in an argument list.
 */
export function spawnServer(settings: ServerSettings): Server {
  const [program = 'redis-server', ...words] = [...(settings.launcher ?? []), settings.binary ?? 'redis-server', '-'];
  const child = startProgram(program, words, { cwd: settings.directory, detached: true, input: configuration(settings) });
  const lines: string[] = [];
  const keep = (chunk: string): void => {
    for (const line of chunk.split('\n')) {
      if (line.trim() === '') continue;
      lines.push(line);
      if (lines.length > LAST_LINES) lines.shift();
      settings.log?.(line);
    }
  };
  child.stdout.setEncoding('utf8').on('data', keep);
  child.stderr.setEncoding('utf8').on('data', keep);
  const exited = new Promise<void>((settle) => {
    child.once('exit', () => settle());
    child.once('error', (error) => {
      keep(messageOf(error));
      settle();
    });
  });
  return { child, exited, lastLines: () => lines.join(' | ') };
}

/** Paths are relative: the server runs inside its directory, so that no length of path can be too long for its socket. */
export function configuration({ password, port = 0, appendOnly = true, appendfsync = 'everysec', maxmemoryBytes = 0 }: ServerSettings): string {
  return Object.entries({
    port,
    ...(port === 0 ? {} : { bind: '127.0.0.1 -::1', 'protected-mode': 'yes' }),
    unixsocket: SOCKET,
    unixsocketperm: '600',
    requirepass: password,
    pidfile: PID_FILE,
    daemonize: 'no',
    appendonly: appendOnly ? 'yes' : 'no',
    appendfsync,
    'aof-load-truncated': 'yes',
    save: '""',
    maxmemory: maxmemoryBytes,
    'maxmemory-policy': 'noeviction',
    // What is larger is refused at the door, and its connection ended.
    'proto-max-bulk-len': MAX_VALUE_BYTES,
    'tcp-backlog': 128,
    // A row with its result then stays one compact block: 0.9 instead of 1.6 KB, and less work (measured).
    'hash-max-listpack-value': 2048,
  })
    .map(([key, value]) => `${key} ${value}\n`)
    .join('');
}

/**
 * Waits until the server answers PING, which it does only after it has loaded its data.
 * Throws WritError REDIS_UNAVAILABLE with what it said when it ends first, or at the deadline.
 */
export async function answering(server: Server, target: RedisTarget, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  let ended = false;
  void server.exited.then(() => {
    ended = true;
  });
  while (!(await answersPing(target))) {
    if (ended) throw whyEnded(server);
    if (performance.now() > deadline)
      throw new WritError(
        'REDIS_UNAVAILABLE',
        `redis-server did not answer within ${timeoutMs} ms (\`writ doctor\` shows what is here): ${server.lastLines()}`,
      );
    await Promise.race([delay(POLL_MS), server.exited]);
  }
}

const PORT_IN_USE = /Could not create server TCP listening socket.*Address already in use/;
const DAMAGED =
  /Bad file format reading the append only file|Unrecoverable error reading the append only file|Internal error in RDB reading|bad signature|Fatal error loading the DB/i;
/** What it says before it ends tells why; what it says at each start does not. */
const TOLD_LINES = 3;

function whyEnded({ lastLines }: Server): WritError {
  const said = lastLines();
  if (DAMAGED.test(said)) {
    return new WritError(
      'REDIS_UNAVAILABLE',
      'the files of the private Redis (redis/ in the data directory) are damaged: mend them with redis-check-aof, or put the directory away; what was done comes back from the journal, what was queued is pushed again',
    );
  }
  if (PORT_IN_USE.test(said)) {
    return new WritError('INVALID_CONFIG', 'Redis cannot listen on its port: another program listens there; end it, or set another port', {
      field: 'redis.port',
    });
  }
  return new WritError(
    'REDIS_UNAVAILABLE',
    `redis-server did not start (is it installed? \`writ doctor\` looks): ${said.split(' | ').slice(-TOLD_LINES).join(' | ')}`,
  );
}

/** One try on a connection of its own. */
export async function answersPing(target: RedisTarget): Promise<boolean> {
  const probe = new Redis({
    ...targetOptions(target),
    lazyConnect: true,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    connectTimeout: 1000,
    commandTimeout: 1000,
    enableReadyCheck: false,
  });
  probe.on('error', () => undefined);
  try {
    await probe.connect();
    return (await probe.ping()) === 'PONG';
  } catch {
    return false;
  } finally {
    probe.disconnect();
  }
}

/** SIGTERM, on which Redis writes what it has; SIGKILL at the deadline. Resolves when the process is gone. */
export async function endServer(server: Server, timeoutMs: number): Promise<void> {
  const { child } = server;
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  await server.exited;
  clearTimeout(late);
}
