import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A process that is ready and waits for its word. */
export interface Side<Report> {
  /** Starts the work; resolves with its report when the preloaded jobs are done. */
  go(): Promise<Report>;
  /** Starts the work and leaves it running. */
  begin(): void;
  /** What it tells when it is asked, and goes on. */
  ask<Told>(): Promise<Told>;
  readonly pid: number;
  stop(): Promise<void>;
}

/** @param script compiled script of the process, which gets `setup` as JSON and says when it is ready */
export async function startSide<Report>(script: URL, setup: object): Promise<Side<Report>> {
  const child: ChildProcess = fork(fileURLToPath(script), [JSON.stringify(setup)], {
    // Its log lines are part of its work; nobody reads them here.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  await orDeath(child, once(child, 'message'));
  return {
    async go() {
      const answer = once(child, 'message');
      child.send('go');
      const [report] = (await orDeath(child, answer)) as [Report];
      await once(child, 'exit');
      return report;
    },
    begin: () => void child.send('go'),
    async ask<Told>() {
      const answer = once(child, 'message');
      child.send('tell');
      const [told] = (await orDeath(child, answer)) as [Told];
      return told;
    },
    pid: child.pid ?? 0,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function orDeath<T>(child: ChildProcess, answer: Promise<T>): Promise<T> {
  const over = new AbortController();
  const died = once(child, 'exit', { signal: over.signal }).then(([code, signal]: (number | string | null)[]) => {
    throw new Error(`the worker process ended with ${code ?? signal}`);
  });
  died.catch(() => undefined);
  return Promise.race([answer, died]).finally(() => over.abort());
}
