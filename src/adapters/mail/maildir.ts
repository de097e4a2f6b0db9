import { closeSync, constants } from 'node:fs';
import type { OpenedMail, StoredMessage } from '../../core/ports/index.ts';
import { createFolderReader, openDirectoryIn } from './folder-files.ts';
import { openRoot, unavailable } from './open.ts';

/** `new` comes first: mail readers move messages from there to `cur`, so none slips through behind the reader's back. */
const FOLDERS = ['new', 'cur'] as const;

/**
 * The messages in `new` and `cur` of one Maildir. `tmp` holds what is not delivered yet. Maildir++ sub-folders (`.Sent`)
 * are Maildirs, and scopes, of their own.
 */
export function openMaildir(path: string): OpenedMail {
  const opened: number[] = [];
  try {
    opened.push(openRoot(path, constants.O_DIRECTORY).fd);
    for (const folder of FOLDERS) opened.push(openDirectoryIn(opened[0] ?? -1, folder).fd);
    return { ok: true, messages: messages(opened) };
  } catch (error) {
    for (const fd of opened) closeSync(fd);
    return unavailable('the Maildir', error);
  }
}

/**
 * A mail reader that sets a flag or takes up a new message renames its file meanwhile. So a message may be met twice, which
 * its inode tells, or its name may be gone when it is opened; then it is looked for again at the end, under any flags.
 *
 * @param opened descriptors of the Maildir, `new` and `cur`
 */
function* messages(opened: readonly number[]): Generator<StoredMessage, void, void> {
  const reader = createFolderReader();
  const seen = new Set<number>();
  const lost = new Set<string>();
  const [, ...folders] = opened;

  function* read(accepts: (name: Buffer) => boolean, gone: (name: Buffer) => void, again: boolean): Generator<StoredMessage, void, void> {
    for (const [at, folder] of folders.entries()) {
      for (const { stats, message } of reader.read(folder, `${FOLDERS[at]}/`, accepts, gone)) {
        // A copy made by a hard link has the same inode and is a message of its own.
        if ((again || stats.nlink === 1) && seen.has(stats.ino)) continue;
        seen.add(stats.ino);
        yield message;
      }
    }
  }

  try {
    yield* read(isMessage, (name) => lost.add(uniqueName(name)), false);
    const isLost = (name: Buffer): boolean => isMessage(name) && lost.has(uniqueName(name));
    if (lost.size > 0) yield* read(isLost, neverThere, true);
  } finally {
    for (const fd of opened) closeSync(fd);
  }
}

/** Names with a leading dot are not messages (maildir(5)). */
function isMessage(name: Buffer): boolean {
  return name[0] !== 0x2e;
}

function neverThere(): void {}

/** Without the flags. */
function uniqueName(name: Buffer): string {
  return name.toString('latin1').replace(/:.*/s, '');
}
