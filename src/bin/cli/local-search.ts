import { realpathSync } from 'node:fs';
import type { LocalContentSearch } from '../../surfaces/cli/services.ts';

/** Content search of the command line; what searches is loaded with the first search. */
export function localContentSearch(): LocalContentSearch {
  return {
    cwd: () => realPath(process.cwd()),
    realPath,
    colour: () => process.stdout.isTTY === true && process.stdout.hasColors(),
    open: async (options, search) => (await import('../content.ts')).openLocalSearch(options, search),
  };
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
