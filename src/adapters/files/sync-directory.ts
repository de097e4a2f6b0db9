import { closeSync, constants, fsyncSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';

/** Makes what was renamed or made in a directory durable. */
export async function syncDirectory(directory: string): Promise<void> {
  await using handle = await open(directory, 'r');
  await handle.sync();
}

/** `syncDirectory` for threads and start-up, which may block. */
export function syncDirectorySync(directory: string): void {
  const fd = openSync(directory, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0));
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
