import type { ImapScope, MessageSource } from '../../core/ports/index.ts';
import { IMAP_LIMITS, type ImapLimits } from './limits.ts';
import { openMailbox } from './mailbox.ts';
import { readMailbox } from './messages.ts';
import { readSecrets } from './secrets.ts';

/**
 * Reads one mailbox of an IMAP server (search-executor.md 2, 6, 7.2): only over TLS with a certificate that is verified,
 * only by EXAMINE and BODY.PEEK, so that no flag changes. The server is not asked to search: its SEARCH folds case and
 * knows no code points. A message is identified by UIDVALIDITY and UID, its time of receipt is INTERNALDATE.
 *
 * `open` answers SCOPE_UNAVAILABLE until the mailbox is open: password or certificate file, host, TLS, login, mailbox.
 * Afterwards reading throws: a connection that is lost or silent, answers that are incomplete.
 */
export function createImapSource(limits: Partial<ImapLimits> = {}): MessageSource<ImapScope> {
  return {
    async open(scope) {
      const read = await readSecrets(scope);
      if (!read.ok) return unavailable(read.error);
      const opened = await openMailbox(scope, read.value, { ...IMAP_LIMITS, ...limits });
      return opened.ok ? { ok: true, messages: readMailbox(opened.value) } : unavailable(opened.error);
    },
  };
}

function unavailable(message: string): { readonly ok: false; readonly code: 'SCOPE_UNAVAILABLE'; readonly message: string } {
  return { ok: false, code: 'SCOPE_UNAVAILABLE', message };
}
