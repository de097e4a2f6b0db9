import { statSync } from 'node:fs';
import nodeModule from 'node:module';
import path from 'node:path';
import { makeDirectory } from '../files/make-directory.ts';

/** What others may not do with a directory that decides what is run. */
const WRITABLE_BY_OTHERS = 0o022;

/**
 * From Node 22.1 on, modules that are imported from here on are compiled for the first run only. To be kept beside the
 * modules, never in a shared temporary directory: whoever can write there decides what is run. A directory that does not belong to
 * the owner of its parent, or that others can write, is not believed; where nobody may write, nothing is kept.
 */
export function keepModulesCompiled(directory: string): void {
  const { enableCompileCache } = nodeModule as typeof nodeModule & { enableCompileCache?: (directory: string) => unknown };
  if (enableCompileCache === undefined) return;
  try {
    makeDirectory(directory, 0o755);
    const [found, parent] = [statSync(directory), statSync(path.dirname(directory))];
    if (found.uid === parent.uid && (found.mode & WRITABLE_BY_OTHERS) === 0) enableCompileCache(directory);
  } catch {
    // A package that nobody may write runs without.
  }
}
