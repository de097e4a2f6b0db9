import { fork } from 'node:child_process';
import type { Transferable } from 'node:worker_threads';
import { processEntry } from '../../core/process-entry.ts';
import type { FromThread, ToThread } from './messages.ts';

/** What the owner's side needs of a worker thread; a process of ours has it too. */
export interface ThreadLike {
  on(event: 'message', listener: (message: FromThread) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'exit', listener: (exitCode: number) => void): unknown;
  once(event: 'exit', listener: (exitCode: number) => void): unknown;
  postMessage(message: ToThread, transfer?: readonly Transferable[]): void;
  /** Ends it in the midst of whatever it does; of a thread, not of native code in it. */
  terminate(): Promise<unknown>;
  ref(): void;
  unref(): void;
}

/** A process that stands for a thread. */
export interface ThreadProcess extends ThreadLike {
  /** Its process id; absent where it could not be started. */
  readonly pid: number | undefined;
}

/**
 * Starts a module beside the caller as a process that stands for a thread: same messages, same entry. It can be ended at any
 * moment, also in the midst of native code. It gets nothing of our environment, and ends with its parent.
 *
 * @param callerUrl `import.meta.url` of the caller
 * @param entry     relative name without extension, `./search-thread`
 * @param data      what `threadData` reads there, in JSON; everybody on this host can read it
 * @param serialization how messages travel: `json`, which is faster, where all of them are JSON
 */
export function startProcess(callerUrl: string, entry: string, data: unknown, serialization: 'json' | 'advanced' = 'advanced'): ThreadProcess {
  const { file, execArgv } = processEntry(new URL(`${entry}${callerUrl.endsWith('.ts') ? '.ts' : '.js'}`, callerUrl));
  const child = fork(file, [JSON.stringify(data)], {
    execArgv: [...execArgv],
    env: {},
    serialization,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = new Promise<number>((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? (signal === null ? 0 : 1)));
    child.once('error', () => resolve(1));
  });
  function on(event: 'message' | 'error' | 'exit', listener: ((message: FromThread) => void) | ((error: Error) => void) | ((exitCode: number) => void)): void {
    if (event === 'exit') void exited.then(listener as (exitCode: number) => void);
    else child.on(event, listener as (value: unknown) => void);
  }
  return {
    pid: child.pid,
    on,
    once: on,
    // An error here means that the process is ending, which `exit` tells.
    postMessage: (message) => void child.send(message, () => undefined),
    terminate() {
      child.kill('SIGKILL');
      return exited;
    },
    ref() {
      child.ref();
      child.channel?.ref();
    },
    unref() {
      child.unref();
      child.channel?.unref();
    },
  };
}
