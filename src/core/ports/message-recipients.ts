import type { EngineScope } from './message-engine.ts';

/** Who got a message, by name in code-point order. */
export interface MessageRecipients {
  readonly to: readonly string[];
  readonly cc: readonly string[];
  /** Those that every viewer of the search may know of: only the sender and the recipient itself know who is in Bcc. */
  readonly bcc: readonly string[];
}

export interface RecipientsRequest {
  /** Messages of one page. */
  readonly ids: readonly number[];
  readonly scope: EngineScope;
  /** Now, microseconds: approvals of contacts end. */
  readonly now_us: number;
}

/**
 * Recipients of the messages of a page, whichever engine found them. A message that is gone meanwhile has none.
 *
 * Throws when the database cannot be read; the search then goes on without them.
 */
export type ReadRecipients = (ask: RecipientsRequest) => ReadonlyMap<number, MessageRecipients>;
