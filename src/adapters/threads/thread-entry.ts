import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
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
  return new Worker(fromSources ? withTypeScript(url, callerUrl) : url, options);
}

/**
 * A module that registers the loader inside the thread and then imports the entry: `execArgv: ['--import', 'tsx']` has no
 * effect in a worker thread of Node 20. tsx's API is named by its file, because a data: module resolves no bare names.
 */
function withTypeScript(url: URL, callerUrl: string): URL {
  const api = pathToFileURL(join(dirname(createRequire(callerUrl).resolve('tsx/esm/api')), 'index.mjs'));
  const boot = `import { register } from ${JSON.stringify(api.href)}; register(); await import(${JSON.stringify(url.href)});`;
  return new URL(`data:text/javascript,${encodeURIComponent(boot)}`);
}
