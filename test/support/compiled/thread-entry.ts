import { Worker, type WorkerOptions } from 'node:worker_threads';
import { compiledTwin } from './script.ts';

/**
 * Takes the place of `src/adapters/threads/thread-entry.ts` under vitest: a thread starts from its compiled twin, because loading
 * the TypeScript loader into every one of them costs more than most tests.
 */
export function startThread(callerUrl: string, entry: string, options: WorkerOptions = {}): Worker {
  const twin = compiledTwin(new URL(`${entry}.ts`, callerUrl));
  if (twin === undefined) throw new Error('threads of the tests start from the compiled tree, which vitest.config.ts sets up');
  return new Worker(twin, options);
}
