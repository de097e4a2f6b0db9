import type { FetchMessageObject, FetchQueryObject, ImapFlow } from 'imapflow';
import { ImapFailure } from './failure.ts';
import { isNo } from './refusal.ts';
import { uidSets } from './uid-sets.ts';

/**
 * The answers to `UID FETCH`, one per message, in the order of the server. A message that is gone has none. A message that
 * is still there must have one: imapflow skips a line that it cannot read, and a search must not (SE-68).
 *
 * @param pick what an answer holds of `query`; undefined when it is about something else, like a flag that somebody set
 */
export async function* fetchRows<T>(
  client: ImapFlow,
  uids: readonly number[],
  query: FetchQueryObject,
  pick: (row: FetchMessageObject) => T | undefined,
  most = 500,
): AsyncGenerator<T> {
  for (const { set, uids: asked } of uidSets(uids, most)) {
    const missing = new Set(asked);
    try {
      for await (const row of client.fetch(set, { uid: true, ...query }, { uid: true })) {
        const picked = missing.has(row.uid) ? pick(row) : undefined;
        if (picked === undefined) continue;
        missing.delete(row.uid);
        yield picked;
      }
    } catch (error) {
      // NO: some of the messages are gone (RFC 2180 4.1.2), or something else, which the next question shows.
      if (!isNo(error)) throw error;
    }
    if (missing.size > 0) await assertGone(client, [...missing]);
  }
}

/** The single answer about one message, undefined when it is gone. */
export async function fetchRow<T>(
  client: ImapFlow,
  uid: number,
  query: FetchQueryObject,
  pick: (row: FetchMessageObject) => T | undefined,
): Promise<T | undefined> {
  let found: T | undefined;
  for await (const picked of fetchRows(client, [uid], query, pick)) found = picked;
  return found;
}

async function assertGone(client: ImapFlow, uids: readonly number[]): Promise<void> {
  const asked = new Set(uids);
  let left = 0;
  for (const { set } of uidSets(uids, uids.length)) {
    for await (const { uid } of client.fetch(set, { uid: true }, { uid: true })) if (asked.has(uid)) left += 1;
  }
  // A closed connection answers nothing, which must not look like an empty mailbox.
  if (!client.usable) throw new ImapFailure('IMAP_CONNECTION_LOST', 'the connection was lost');
  if (left > 0) throw new ImapFailure('IMAP_INCOMPLETE', `the server left out ${left} messages that it still has`);
}
