import { WritError } from '../core/errors.ts';
import { type Lifecycle, lifecycle } from '../core/lifecycle.ts';
import type { TaskExecutor } from '../core/ports/index.ts';

/** An executor, and what it needs to run: processes, connections. */
export interface Generation {
  readonly executor: TaskExecutor;
  readonly life: Lifecycle;
}

export interface ExchangeableExecutor extends TaskExecutor, Lifecycle {
  /**
   * Starts the next generation beside the one in use; nothing changes before `commit`. A task ends in the generation that
   * it began in, which is stopped behind its last task.
   *
   * @throws what the start throws; WritError WRONG_STATE when the executor does not run
   */
  prepare(next: Generation): Promise<{ readonly commit: () => void; readonly abandon: () => Promise<void> }>;
}

interface Served extends Generation {
  readonly running: Set<Promise<unknown>>;
}

/** An executor that can be exchanged while it runs, in one assignment. Generations with a host's memory must share their runs. */
export function createExchangeableExecutor(first: Generation): ExchangeableExecutor {
  let current = served(first);
  let isRunning = false;
  const retiring = new Set<Promise<void>>();
  const retire = (old: Served): void => {
    const ending: Promise<void> = ended(old).finally(() => retiring.delete(ending));
    // A stop tells of it; until then nobody waits.
    ending.catch(() => undefined);
    retiring.add(ending);
  };
  const part = lifecycle(
    async () => {
      await current.life.start();
      isRunning = true;
    },
    async () => {
      isRunning = false;
      await Promise.all([current.life.stop(), ...retiring]);
    },
  );
  return {
    ...part,
    get capabilities() {
      return current.executor.capabilities;
    },
    get maxRunMs() {
      return current.executor.maxRunMs;
    },
    ...(first.executor.memory === undefined ? {} : { memory: first.executor.memory }),
    execute(task, context) {
      const { executor, running } = current;
      const ending = executor.execute(task, context);
      const settled: Promise<unknown> = ending.then(
        () => running.delete(settled),
        () => running.delete(settled),
      );
      running.add(settled);
      return ending;
    },
    async prepare(of) {
      if (!isRunning) throw new WritError('WRONG_STATE', 'the executor does not run');
      const next = served(of);
      await next.life.start();
      return {
        commit() {
          // A stop that came meanwhile ends both.
          const old = isRunning ? current : next;
          if (isRunning) current = next;
          retire(old);
        },
        abandon: () => next.life.stop(),
      };
    },
  };
}

function served(generation: Generation): Served {
  return { ...generation, running: new Set() };
}

async function ended({ running, life }: Served): Promise<void> {
  while (running.size > 0) await Promise.all(running);
  await life.stop();
}
