import { existsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export interface DataDirectoryQuestion {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** `packageRoot()`, unless a test asks. */
  readonly root: string;
}

/**
 * The data directory, absolute: `WRIT_DATA_DIR` (relative to the working directory), else `.writ` in a checkout, else
 * `$XDG_STATE_HOME/writ`. A checkout is a package root that is not an installed dependency, or that has a `.git`.
 * The directory is not created.
 */
export function dataDirectory({ environment, cwd, root }: DataDirectoryQuestion): string {
  const asked = environment['WRIT_DATA_DIR'];
  if (asked !== undefined && asked !== '') return path.resolve(cwd, asked);
  if (isCheckout(root)) return path.join(root, '.writ');
  const state = environment['XDG_STATE_HOME'];
  // The XDG specification: relative paths in its variables are to be ignored.
  const base = state !== undefined && path.isAbsolute(state) ? state : path.join(environment['HOME'] ?? os.homedir(), '.local', 'state');
  return path.join(base, 'writ');
}

function isCheckout(root: string): boolean {
  return existsSync(path.join(root, '.git')) || !root.split(path.sep).includes('node_modules');
}
