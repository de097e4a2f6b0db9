import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { type Lifecycle, lifecycle } from '../../core/lifecycle.ts';
import { makeDirectory } from '../files/make-directory.ts';

/** The folder of one search process. */
export function spillOf(directory: string, pid: number): string {
  return path.join(directory, String(pid));
}

/**
 * Where search processes may put what does not fit into their memory. A killed process cannot tidy up: its folder is
 * removed when the pool sees it gone, and those of a killed worker's processes when the next worker starts.
 */
export function createSpillPlace(directory: string): { readonly part: Lifecycle; removeOf(pid: number): void } {
  const removeOf = (pid: number): void => rmSync(spillOf(directory, pid), { recursive: true, force: true });
  return {
    removeOf,
    part: lifecycle(
      () => {
        makeDirectory(directory);
        for (const pid of readdirSync(directory).map(Number)) if (!runs(pid)) removeOf(pid);
      },
      () => undefined,
    ),
  };
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
