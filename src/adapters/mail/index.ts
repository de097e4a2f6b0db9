import type { MailFolderScope, MessageSource } from '../../core/ports/index.ts';
import { openEmlFolder } from './eml.ts';
import { openMaildir } from './maildir.ts';
import { openMbox } from './mbox.ts';

const STORES = { maildir: openMaildir, mbox: openMbox, eml: openEmlFolder } satisfies Record<MailFolderScope['store'], unknown>;

/**
 * Mail on this host: a Maildir, an mbox file, a folder of .eml files (search-executor.md 7.2). Reads with calls that block,
 * which is three times faster for small files than libuv's pool: for a process that does nothing else meanwhile.
 */
export function createMailFolderSource(): MessageSource<MailFolderScope> {
  return { open: async ({ store, path }) => STORES[store](path) };
}
