import { closeSync, constants, fsyncSync, openSync } from 'node:fs';

/** Makes what was renamed or made in a directory durable. */
export function syncDirectory(directory: string): void {
  const fd = openSync(directory, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0));
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
