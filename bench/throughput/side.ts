import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { SideReport, SideSetup } from './worker.ts';

/** A worker process that is ready and waits for its word. */
export interface Side {
  /** Starts the work; resolves with its report when the preloaded jobs are done. */
  go(): Promise<SideReport>;
  /** Starts the work and leaves it running. */
  begin(): void;
  stop(): Promise<void>;
}

export async function startSide(setup: SideSetup): Promise<Side> {
  const child: ChildProcess = fork(fileURLToPath(new URL('./worker.js', import.meta.url)), [JSON.stringify(setup)], {
    // Its log lines are part of its work; nobody reads them here.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  await orDeath(child, once(child, 'message'));
  return {
    async go() {
      const answer = once(child, 'message');
      child.send('go');
      const [report] = (await orDeath(child, answer)) as [SideReport];
      await once(child, 'exit');
      return report;
    },
    begin: () => void child.send('go'),
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function orDeath<T>(child: ChildProcess, answer: Promise<T>): Promise<T> {
  return Promise.race([
    answer,
    once(child, 'exit').then(([code, signal]: (number | string | null)[]) => {
      throw new Error(`the worker process ended with ${code ?? signal}`);
    }),
  ]);
}
