import { Worker, type WorkerOptions } from 'node:worker_threads';

/**
 * Starts a worker thread from a module beside the caller. From `dist` the entry is plain JavaScript; from the sources
 * (tests) the thread gets the TypeScript loader, which plain Node 20 lacks.
 *
 * @param callerUrl `import.meta.url` of the caller
 * @param entry     relative name without extension, `./journal-thread`
 */
export function startThread(callerUrl: string, entry: string, options: WorkerOptions = {}): Worker {
  const fromSources = callerUrl.endsWith('.ts');
  const url = new URL(`${entry}${fromSources ? '.ts' : '.js'}`, callerUrl);
  return new Worker(url, fromSources ? { ...options, execArgv: ['--import', 'tsx'] } : options);
}
