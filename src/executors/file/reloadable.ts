import { WritError } from '../../core/errors.ts';
import { createRuns } from '../../core/runs.ts';
import type { OpenedAttempt, Runs } from './deps.ts';
import { createFileExecutor, type FileExecutor } from './executor.ts';
import type { FileExecutorOptions } from './options.ts';

export interface ReloadableFileExecutor extends FileExecutor {
  /**
   * Opens the base directories of other options beside those that are in use; nothing changes before `commit`. A task goes
   * on with the options that it began under, whose directories are closed behind the last one.
   *
   * @throws WritError INVALID_CONFIG when a base directory cannot be used; WRONG_STATE when the executor does not run
   */
  prepare(next: FileExecutorOptions): Promise<{ readonly commit: () => void; readonly abandon: () => Promise<void> }>;
}

/** A file executor whose options can be exchanged while it runs. All of its generations know each other's runs: a task that runs in one is busy in all. */
export function createReloadableFileExecutor(options: FileExecutorOptions): ReloadableFileExecutor {
  const shared: Runs = createRuns<OpenedAttempt>();
  const make = (of: FileExecutorOptions): FileExecutor => createFileExecutor(of, runsOf(shared));
  const retiring = new Set<Promise<void>>();
  let current = make(options);
  let isRunning = false;
  const stop = async (): Promise<void> => {
    isRunning = false;
    await Promise.all([current.stop(), ...retiring]);
  };
  const retire = (old: FileExecutor): void => {
    const ending = old.stop().finally(() => retiring.delete(ending));
    retiring.add(ending);
  };
  return {
    capabilities: current.capabilities,
    get maxRunMs() {
      return current.maxRunMs;
    },
    get memory() {
      return current.memory;
    },
    get bases() {
      return current.bases;
    },
    execute: (task, context) => current.execute(task, context),
    async start() {
      await current.start();
      isRunning = true;
    },
    stop,
    [Symbol.asyncDispose]: stop,
    async prepare(of) {
      if (!isRunning) throw new WritError('WRONG_STATE', 'the file executor does not run');
      const next = make(of);
      await next.start();
      return {
        commit() {
          // A stop that came meanwhile ends both.
          const old = isRunning ? current : next;
          if (isRunning) current = next;
          retire(old);
        },
        abandon: () => next.stop(),
      };
    },
  };
}

/** The shared runs, of which this executor waits for its own only: under load there is always another one's. */
function runsOf(shared: Runs): Runs {
  const own = new Set<Promise<unknown>>();
  return {
    ...shared,
    once(task, body) {
      const ending = shared.once(task, body);
      const settled: Promise<unknown> = ending.then(
        () => own.delete(settled),
        () => own.delete(settled),
      );
      own.add(settled);
      return ending;
    },
    async idle() {
      while (own.size > 0) await Promise.all(own);
    },
  };
}
