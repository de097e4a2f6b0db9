import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { syncDirectory } from './sync-directory.ts';

export interface ReplaceOptions {
  /** Permissions of the new file; 0600. */
  readonly mode?: number;
}

/**
 * Gives a file new content in one step: whoever reads it, now or after a crash, finds the old content or the new one. The
 * new file is fsynced before it takes the name; the name itself may still be lost with the power.
 */
export async function replaceFile(file: string, content: string | Uint8Array, { mode = 0o600 }: ReplaceOptions = {}): Promise<void> {
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    const handle = await open(temporary, 'wx', mode);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** `replaceFile`, and the new content is still there after a power cut. */
export async function replaceFileDurably(file: string, content: string | Uint8Array, options: ReplaceOptions = {}): Promise<void> {
  await replaceFile(file, content, options);
  await syncDirectory(path.dirname(file));
}
