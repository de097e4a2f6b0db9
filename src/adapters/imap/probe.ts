import type { ImapScope } from '../../core/ports/index.ts';
import { IMAP_LIMITS } from './limits.ts';
import { closeMailbox, openMailbox } from './mailbox.ts';
import { readSecrets } from './secrets.ts';

/**
 * Whether a mailbox can be searched now: logs in, examines it, and says goodbye; no message is read.
 *
 * @param patienceMs for all of it
 * @returns why not, without any name; undefined when it can
 */
export async function probeMailbox(scope: ImapScope, patienceMs: number): Promise<string | undefined> {
  const read = await readSecrets(scope);
  if (!read.ok) return read.error;
  const opened = await openMailbox(scope, read.value, { ...IMAP_LIMITS, connectMs: patienceMs, openMs: patienceMs });
  if (!opened.ok) return opened.error;
  await closeMailbox(opened.value, true);
  return undefined;
}
