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

/** @param queues what each process serves; `undefined`: everything. The first starts alone: it serves the others with its code cache. */
export async function createHorde(queues: readonly (string | undefined)[], argsOf: (queue: string | undefined) => readonly string[]): Promise<Horde> {
  const members = new Set<Member>();
  let isUp = false;
  let stopping = false;
  let share = 0;
  let deaths = 0;

  /** Rejects when the process cannot start. */
  function launch(queue: string | undefined): Promise<void> {
    const child = spawn(process.execPath, argsOf(queue), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const member: Member = { child, isReady: false };
    members.add(member);
    // A killed child's channel may still report an error.
    child.on('error', () => undefined);
    return new Promise((ready, refused) => {
      child.once('exit', (code) => {
        members.delete(member);
        if (code !== null) refused(new Error(`a worker process ended with ${code}`));
        if (stopping || !isUp) return;
        deaths += 1;
        void launch(queue).catch(() => undefined);
      });
      child.on('message', ({ type }: { type?: string }) => {
        if (type !== 'ready') return;
        member.isReady = true;
        child.send(share, () => undefined);
        ready();
      });
    });
  }

  const [first, ...rest] = queues;
  await launch(first);
  // The first one writes the code cache for all that follow.
  for (const { child } of members) child.send('cache');
  await Promise.all(rest.map(launch));
  isUp = true;
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
