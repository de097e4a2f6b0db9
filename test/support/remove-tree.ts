import { rmSync } from 'node:fs';

const MAX_TRIES = 500;
const PAUSE_MS = 20;
const pause = new Int32Array(new SharedArrayBuffer(4));

/**
 * Removes a directory into which threads that have been asked to end may still put a file: those of a writer of Tantivy do,
 * so that the directory is not empty in the moment in which it is to go. `maxRetries` of rmSync is no help: it tries again
 * to remove the directory and not what has come into it.
 */
export function removeTree(directory: string): void {
  for (let tries = 1; ; tries += 1) {
    try {
      rmSync(directory, { recursive: true, force: true });
      return;
    } catch (error) {
      if (tries === MAX_TRIES || !(error instanceof Error && 'code' in error && error.code === 'ENOTEMPTY')) throw error;
      Atomics.wait(pause, 0, 0, PAUSE_MS);
    }
  }
}
