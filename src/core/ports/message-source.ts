import type { ImapScope, MailFolderScope, ScanErrorCode } from './search.ts';

/** One message of a store. */
export interface StoredMessage {
  /** Identifier that the store itself keeps unique and stable (IMAP: UIDVALIDITY and UID); undefined where it has none. */
  readonly storeId: string | undefined;
  /** Where a store without identifiers of its own has it, for messages to its reader; names nothing outside of the scope. */
  readonly place?: () => string;
  /** Milliseconds since 1970, where the store records the time of receipt (IMAP: INTERNALDATE); else undefined. */
  readonly receivedAt: number | undefined;
  /**
   * The message as it was received: headers, empty line, body; CRLF or LF. Whole if it has at most 4 MiB, else in pieces
   * of a few MiB at most: what a search holds of one message is bounded. Bytes, and pieces, may be overwritten as soon as
   * the next ones are asked for.
   */
  readonly raw: Uint8Array | AsyncIterable<Uint8Array>;
}

/** `ok: false`: there is no mailbox to read, for example `SCOPE_UNAVAILABLE`; the message names nothing outside of the scope. */
export type OpenedMail =
  | { readonly ok: true; readonly messages: AsyncIterable<StoredMessage> | Iterable<StoredMessage> }
  | { readonly ok: false; readonly code: ScanErrorCode; readonly message: string };

/**
 * Reads every message of one mailbox once, in any order, and changes nothing in it (search-executor.md 7.2).
 *
 * `messages` may be iterated once; pieces are read before the next message is asked for, or not at all. Ending the
 * iteration early frees everything. A message that vanished meanwhile was never there. Any other failure on the way
 * throws: its `code` reaches the answer EXECUTION_FAILED, its text does not.
 */
export interface MessageSource<S extends MailFolderScope | ImapScope> {
  open(scope: S): Promise<OpenedMail>;
}
