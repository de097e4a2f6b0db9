import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** How a module of ours is started as a process: its file, and what `node` must be told before it. */
export interface ProcessEntry {
  readonly file: string;
  readonly execArgv: readonly string[];
}

/** From `dist` a module is plain JavaScript; from the sources the process gets the TypeScript loader, which plain Node 20 lacks. */
export function processEntry(module: URL): ProcessEntry {
  const file = fileURLToPath(module);
  if (!file.endsWith('.ts')) return { file, execArgv: [] };
  return { file, execArgv: ['--import', pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href] };
}
