import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** As that of the machine: tests start programs of other users. */
const MODE = 0o1777;

/** Global set-up of vitest: what tests put into the directory for temporary files is gone when they are over, whatever they leave there. */
export function setup(): () => void {
  const directory = mkdtempSync(path.join(tmpdir(), 'writ-t-'));
  chmodSync(directory, MODE);
  process.env['TMPDIR'] = directory;
  return () => {
    // Through a mount that a test has left behind, something else would be removed.
    if (isMountedBelow(directory)) return;
    try {
      rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
    } catch {
      // Something in it is another user's, or closed to this one: no test depends on what is left.
    }
  };
}

function isMountedBelow(directory: string): boolean {
  return readFileSync('/proc/self/mountinfo', 'utf8').includes(` ${directory}/`);
}
