import { closeSync, constants } from 'node:fs';
import type { OpenedMail, StoredMessage } from '../../core/ports/index.ts';
import { createFolderReader } from './folder-files.ts';
import { openRoot, unavailable } from './open.ts';

/** Files of a folder whose name ends in `.eml`, in any case. Its sub-folders are mailboxes of their own, with scopes of their own. */
export function openEmlFolder(path: string): OpenedMail {
  try {
    const { fd } = openRoot(path, constants.O_DIRECTORY);
    return { ok: true, messages: messages(fd) };
  } catch (error) {
    return unavailable('the folder', error);
  }
}

function* messages(directory: number): Generator<StoredMessage, void, void> {
  try {
    for (const { message } of createFolderReader().read(directory, '', isEml, neverThere)) yield message;
  } finally {
    closeSync(directory);
  }
}

function isEml(name: Buffer): boolean {
  return name.subarray(-4).toString('latin1').toLowerCase() === '.eml';
}

/** A file that was deleted or renamed meanwhile counts as never there. */
function neverThere(): void {}
