import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Random } from '../../support/random.ts';

/** Worker processes that are started again whenever one ends. */
export interface Horde extends AsyncDisposable {
  /** Kills one that is ready, if there is one. */
  kill(random: Random): void;
  /** From now on each point that a worker passes is its last with this probability. */
  deadly(share: number): void;
  /** Processes that have died so far. */
  readonly deaths: number;
}

interface Member {
  readonly child: ChildProcess;
  isReady: boolean;
}

/** @param queues what each process serves; `undefined`: everything */
export async function createHorde(queues: readonly (string | undefined)[], argsOf: (queue: string | undefined) => readonly string[]): Promise<Horde> {
  const members = new Set<Member>();
  let stopping = false;
  let share = 0;
  let deaths = 0;

  function launch(queue: string | undefined): Promise<void> {
    const child = spawn(process.execPath, argsOf(queue), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const member: Member = { child, isReady: false };
    members.add(member);
    // A killed child's channel may still report an error.
    child.on('error', () => undefined);
    child.once('exit', () => {
      members.delete(member);
      if (stopping) return;
      deaths += 1;
      void launch(queue);
    });
    return new Promise((ready) => {
      child.on('message', ({ type }: { type?: string }) => {
        if (type !== 'ready') return;
        member.isReady = true;
        child.send(share, () => undefined);
        ready();
      });
    });
  }

  await Promise.all(queues.map(launch));
  return {
    kill(random) {
      const ready = [...members].filter(({ isReady }) => isReady);
      if (ready.length > 0) random.pick(ready).child.kill('SIGKILL');
    },
    deadly(probability) {
      share = probability;
      for (const { child, isReady } of members) if (isReady) child.send(share, () => undefined);
    },
    get deaths() {
      return deaths;
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
