import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { type ErrorCode, WritError } from '../../core/errors.ts';
import type { Lifecycle } from '../../core/lifecycle.ts';
import { openLog } from '../files/open-log.ts';

export interface SupervisedRole {
  readonly name: string;
  /** Arguments of `node`, the script first. */
  readonly args: readonly string[];
  /** Where the child's log goes; appended to. */
  readonly logFile: string;
  /** Size of the child's pool of threads for file system calls; it can only be said in the environment. */
  readonly ioThreads: number;
  /** A child that ended by itself is started again after this, doubling up to 16 times. */
  readonly restartMs: number;
  /** After SIGTERM the child gets this long, then SIGKILL. */
  readonly stopMs: number;
  readonly onEvent: (event: RoleEvent) => void;
}

export interface RoleEvent {
  readonly role: string;
  /** `died`: it is started again; `gave-up`: its first run ended before it was ready, and it is not. */
  readonly what: 'started' | 'ready' | 'stopped' | 'gave-up' | 'died' | 'unlogged';
  readonly pid: number | undefined;
  readonly detail?: string;
}

/** What a role tells its supervisor over the IPC channel. */
export type RoleMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'refused'; readonly code: ErrorCode; readonly message: string; readonly field?: string };

/**
 * Keeps one role running as a child process of `writ up`. `start` resolves when the child says that it works and rejects
 * when its first run refuses to start; later ends are restarted, so that a killed worker comes back, and so is one that this
 * machine has had no room to start. Whose log cannot be opened runs without.
 *
 * Started by Node's own spawn: the child writes its log through a descriptor of its own, also after we were killed, and
 * execa passes no descriptor above 9 on (a file that it is told goes through us).
 */
export function supervise(role: SupervisedRole): Lifecycle & { readonly pid: () => number | undefined } {
  let child: ChildProcess | undefined;
  let stopping = false;
  let everReady = false;
  let restarts = 0;
  let timer: NodeJS.Timeout | undefined;

  const restart = (): void => {
    timer = setTimeout(() => run(noop, noop), role.restartMs * 2 ** Math.min(restarts, 4));
    restarts += 1;
  };

  const run = (onReady: () => void, onRefused: (error: Error) => void): void => {
    const ended = (pid: number | undefined, detail: string, refusal: Error): void => {
      role.onEvent({ role: role.name, what: stopping ? 'stopped' : everReady ? 'died' : 'gave-up', pid, detail });
      onRefused(refusal);
      if (child?.pid !== pid) return;
      child = undefined;
      if (everReady && !stopping) restart();
    };
    const started = spawned(role);
    if (started instanceof Error) {
      ended(undefined, started.message, started);
      return;
    }
    child = started;
    role.onEvent({ role: role.name, what: 'started', pid: started.pid });
    started.on('message', (message: RoleMessage) => {
      if (message.type === 'refused') {
        const { code, field } = message;
        return onRefused(new WritError(code, `the ${role.name} role: ${message.message}`, field === undefined ? {} : { field }));
      }
      restarts = 0;
      everReady = true;
      role.onEvent({ role: role.name, what: 'ready', pid: started.pid });
      onReady();
    });
    started.on('error', (error) => {
      // Of a child that runs it says that a signal or a message did not reach it.
      if (started.pid === undefined) ended(undefined, error.message, error);
    });
    started.on('exit', (code, signal) => {
      const how = signal ?? `code ${code}`;
      ended(started.pid, how, new WritError('INTERNAL', `the ${role.name} role ended with ${how} before it was ready; ${role.logFile} may tell why`));
    });
  };

  return {
    pid: () => child?.pid,
    start() {
      stopping = false;
      if (child) return Promise.resolve();
      // Only the first of the two calls counts: a child that ends after it was ready rejects nothing.
      return new Promise<void>((resolve, reject) => run(resolve, reject));
    },
    async stop() {
      stopping = true;
      clearTimeout(timer);
      const ending = child;
      child = undefined;
      if (ending?.pid === undefined || ending.exitCode !== null || ending.signalCode !== null) return;
      const ended = new Promise<void>((resolve) => ending.once('exit', () => resolve()));
      ending.kill('SIGTERM');
      const hard = setTimeout(() => ending.kill('SIGKILL'), role.stopMs);
      await ended;
      clearTimeout(hard);
    },
    async [Symbol.asyncDispose]() {
      await this.stop();
    },
  };
}

/** The role's process; an error where this machine has no room for one now, or will not start it. */
function spawned({ name, args, logFile, ioThreads, onEvent }: SupervisedRole): ChildProcess | Error {
  // biome-ignore lint/style/noProcessEnv: handed on to the child as it is, nothing in it is read
  const env = { ...process.env, UV_THREADPOOL_SIZE: String(ioThreads) };
  const log = logOf(logFile);
  if (log instanceof Error) onEvent({ role: name, what: 'unlogged', pid: undefined, detail: log.message });
  try {
    return spawn(process.execPath, [...process.execArgv, ...args], { stdio: ['ignore', 'inherit', log instanceof Error ? 'ignore' : log, 'ipc'], env });
  } catch (error) {
    return asError(error);
  } finally {
    if (typeof log === 'number') closeSync(log);
  }
}

/** A log that cannot be opened is no reason not to run. */
function logOf(file: string): number | Error {
  try {
    return openLog(file);
  } catch (error) {
    return asError(error);
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function noop(): void {}
