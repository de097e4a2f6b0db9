import { setTimeout as delay } from 'node:timers/promises';
import { messageOf, WritError } from '../../core/errors.ts';
import type { Lifecycle } from '../../core/lifecycle.ts';
import { embeddedTarget, ensurePassword, lockDirectory, prepareDirectory } from './embedded-files.ts';
import { endOrphan } from './embedded-orphan.ts';
import { answering, endServer, type Server, type ServerSettings, spawnServer } from './embedded-server.ts';
import { endWithoutSocket } from './embedded-socket.ts';
import type { ServerTarget } from './target.ts';

export interface EmbeddedRedisOptions extends Omit<ServerSettings, 'password'> {
  /** A directory of its own inside the data directory; made if missing, mode 0700. */
  readonly directory: string;
  readonly startTimeoutMs?: number;
  readonly stopTimeoutMs?: number;
  /** Starts the server again when it ends by itself (default true). */
  readonly restart?: boolean;
  /** Is told when it does, with what the server said last, and why a start failed. */
  readonly onRestart?: ((said: string) => void) | undefined;
}

/** A private redis-server of this process: unix socket, random password, append-only file, `noeviction` (design 2). */
export interface EmbeddedRedis extends Lifecycle {
  /** Throws WritError REDIS_UNAVAILABLE before the first start. */
  target(): ServerTarget;
  /** Of the running server; `undefined` while there is none. */
  pid(): number | undefined;
}

const START_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 10_000;
const FIRST_RESTART_MS = 100;
const LAST_RESTART_MS = 5000;

/**
 * `start` throws WritError REDIS_UNAVAILABLE when another process serves the directory, or when redis-server is missing
 * or does not come up. A server that a killed process left behind is ended cleanly first; its data stays.
 */
export function createEmbeddedRedis(options: EmbeddedRedisOptions): EmbeddedRedis {
  const { directory, restart = true, startTimeoutMs = START_TIMEOUT_MS, stopTimeoutMs = STOP_TIMEOUT_MS } = options;
  let unlock: (() => void) | undefined;
  let server: Server | undefined;
  /** Was spawned and has not answered yet. */
  let coming: Server | undefined;
  let starting: Promise<void> | undefined;
  let watching: Promise<void> | undefined;
  const stopping = { now: new AbortController() };

  const launch = async (): Promise<Server> => {
    const target = embeddedTarget(directory);
    if ('path' in target) await endOrphan(directory, target.path, stopTimeoutMs);
    if (stopping.now.signal.aborted) throw new WritError('REDIS_UNAVAILABLE', 'the embedded Redis was stopped while it started');
    const started = spawnServer({ ...options, password: ensurePassword(directory) });
    coming = started;
    try {
      await answering(started, target, startTimeoutMs);
      return started;
    } catch (error) {
      await endServer(started, stopTimeoutMs);
      throw error;
    } finally {
      coming = undefined;
    }
  };

  const watch = async (first: Server, { signal }: AbortController): Promise<void> => {
    server = first;
    for (let pause = FIRST_RESTART_MS; ; pause = Math.min(pause * 2, LAST_RESTART_MS)) {
      const unwatch = server && restart ? endWithoutSocket(server, { directory, stopTimeoutMs }) : undefined;
      await server?.exited;
      unwatch?.();
      if (signal.aborted || !restart) return;
      if (server) options.onRestart?.(server.lastLines());
      server = undefined;
      await delay(pause, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      server = await launch().catch((error: unknown) => void options.onRestart?.(messageOf(error)));
      if (signal.aborted) return;
      if (server) pause = FIRST_RESTART_MS;
    }
  };

  const begin = async (): Promise<void> => {
    if (unlock) return;
    prepareDirectory(directory);
    unlock = lockDirectory(directory);
    try {
      ensurePassword(directory);
      stopping.now = new AbortController();
      watching = watch(await launch(), stopping.now);
    } catch (error) {
      unlock?.();
      unlock = undefined;
      throw error;
    }
  };

  const start = (): Promise<void> => {
    starting = begin();
    return starting;
  };

  const stop = async (): Promise<void> => {
    stopping.now.abort();
    // One that still loads its data: its start fails, and nothing of it stays.
    if (coming) await endServer(coming, stopTimeoutMs);
    await starting?.catch(() => undefined);
    if (server) await endServer(server, stopTimeoutMs);
    await watching;
    // A restart that was under way when the stop came.
    if (server) await endServer(server, stopTimeoutMs);
    server = undefined;
    unlock?.();
    unlock = undefined;
  };

  return {
    start,
    stop,
    target() {
      if (!unlock) throw new WritError('REDIS_UNAVAILABLE', 'the embedded Redis is not started');
      return embeddedTarget(directory);
    },
    pid: () => (server && server.child.exitCode === null && server.child.signalCode === null ? server.child.pid : undefined),
    [Symbol.asyncDispose]: stop,
  };
}
