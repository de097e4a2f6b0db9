import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Random } from '../../support/random.ts';

/** Worker processes that are started again whenever one ends. */
export interface Horde extends AsyncDisposable {
  /** Kills one that is ready; false when none is. */
  kill(random: Random): boolean;
}

interface Member {
  readonly child: ChildProcess;
  isReady: boolean;
}

/** @param queues what each process serves; `undefined`: everything */
export async function createHorde(queues: readonly (string | undefined)[], argsOf: (queue: string | undefined) => readonly string[]): Promise<Horde> {
  const members = new Set<Member>();
  let stopping = false;

  function launch(queue: string | undefined): Promise<void> {
    const child = spawn(process.execPath, argsOf(queue), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const member: Member = { child, isReady: false };
    members.add(member);
    // A killed child's channel may still report an error.
    child.on('error', () => undefined);
    child.once('exit', () => {
      members.delete(member);
      if (!stopping) void launch(queue);
    });
    return new Promise((ready) => {
      child.on('message', ({ type }: { type?: string }) => {
        if (type !== 'ready') return;
        member.isReady = true;
        ready();
      });
    });
  }

  await Promise.all(queues.map(launch));
  return {
    kill(random) {
      const ready = [...members].filter(({ isReady }) => isReady);
      return ready.length > 0 && random.pick(ready).child.kill('SIGKILL');
    },
    async [Symbol.asyncDispose]() {
      stopping = true;
      await Promise.all(
        [...members].map(async ({ child }) => {
          if (child.exitCode !== null || child.signalCode !== null) return;
          child.kill('SIGKILL');
          await once(child, 'exit');
        }),
      );
    },
  };
}
