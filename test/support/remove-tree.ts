import { rmSync } from 'node:fs';

/**
 * Removes a directory into which threads that have been asked to end may still put a file: those of a writer of Tantivy do,
 * so that the directory is not empty in the moment in which it is to go.
 */
export function removeTree(directory: string): void {
  rmSync(directory, { recursive: true, force: true, maxRetries: 100, retryDelay: 20 });
}
