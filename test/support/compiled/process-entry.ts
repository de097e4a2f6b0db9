import type { ProcessEntry } from '../../../src/core/process-entry.ts';
import { compiledTwin } from './script.ts';

/** Takes the place of `src/core/process-entry.ts` under vitest: a process starts from its compiled twin. */
export function processEntry(module: URL): ProcessEntry {
  const file = compiledTwin(module);
  if (file === undefined) throw new Error('processes of the tests start from the compiled tree, which vitest.config.ts sets up');
  return { file, execArgv: [] };
}
