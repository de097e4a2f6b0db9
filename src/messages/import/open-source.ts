import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { WritError } from '../../core/errors.ts';
import type { ImportFormat, ImportOptions, ImportSource } from '../../core/ports/index.ts';
import { openArchive } from './agent-mail/archive.ts';
import { isArchive } from './agent-mail/archive-tree.ts';
import { openAgentMail } from './agent-mail/database.ts';
import { openJsonl } from './jsonl.ts';
import type { MailReader } from './mail-message.ts';
import { openMailbox } from './mailbox.ts';

/**
 * Opens what messages are imported from; the format is found out by looking, unless it is said.
 *
 * @throws WritError NOT_FOUND, INVALID_ARGUMENT
 */
export async function openImport(path: string, { format, project }: ImportOptions, reader: MailReader): Promise<ImportSource> {
  const whole = resolve(path);
  assertReadable(whole);
  const found = format ?? (await formatOf(whole));
  const mailbox = project ?? slugOf(whole);
  const OPEN = {
    jsonl: () => openJsonl(whole, project),
    maildir: () => openMailbox('maildir', whole, mailbox, reader),
    mbox: () => openMailbox('mbox', whole, mailbox, reader),
    'agent-mail': () => openAgentMail(whole),
    'agent-mail-archive': () => openArchive(whole),
  } satisfies Record<ImportFormat, () => ImportSource | Promise<ImportSource>>;
  return OPEN[found]();
}

/** A mailbox is a project of the name of its file or directory. */
function slugOf(path: string): string {
  const name = basename(path).replace(/\.(mbox|mbx)$/i, '');
  return name.replaceAll(/^\.+/g, '').trim() || 'mailbox';
}

async function formatOf(path: string): Promise<ImportFormat> {
  if (isDirectory(path)) {
    if (isDirectory(join(path, 'cur')) && isDirectory(join(path, 'new'))) return 'maildir';
    if (await isArchive(path)) return 'agent-mail-archive';
    throw new WritError(
      'INVALID_ARGUMENT',
      `${path} is a directory and neither a Maildir (cur and new) nor an archive of agent mail (projects, or messages by year)`,
      {
        field: 'path',
      },
    );
  }
  const head = headOf(path);
  if (head.startsWith('SQLite format 3\0')) return 'agent-mail';
  return /^[\r\n]*From /.test(head) ? 'mbox' : 'jsonl';
}

/** Whoever opens a FIFO waits for its writer, and an import reads more than once. */
function assertReadable(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new WritError('NOT_FOUND', `there is nothing at ${path}`, { field: 'path' });
  if (!stats.isFile() && !stats.isDirectory()) throw new WritError('INVALID_ARGUMENT', `${path} is neither a file nor a directory`, { field: 'path' });
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function headOf(path: string): string {
  const fd = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(64);
    return buffer.toString('latin1', 0, readSync(fd, buffer));
  } finally {
    closeSync(fd);
  }
}
