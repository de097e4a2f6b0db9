import type { FetchMessageObject } from 'imapflow';
import type { StoredMessage } from '../../core/ports/index.ts';
import { ImapFailure } from './failure.ts';
import { hasAttachments, withoutAttachments } from './large-message.ts';
import { listMailbox } from './listing.ts';
import { closeMailbox, type ImapMailbox } from './mailbox.ts';
import { fetchRow, fetchRows } from './rows.ts';

/** What is known of a message before its bytes. */
interface Known {
  readonly storeId: string;
  readonly receivedAt: number;
}
type Describe = (row: FetchMessageObject) => Known;

/** Every message that the mailbox held when it was opened, small ones first, and then the goodbye. */
export async function* readMailbox(mailbox: ImapMailbox): AsyncGenerator<StoredMessage> {
  let complete = false;
  try {
    const { uidValidity, sizes } = await listMailbox(mailbox);
    const uids = [...sizes.keys()].sort((a, b) => a - b);
    const isPlain = (uid: number) => (sizes.get(uid) ?? 0) <= mailbox.limits.plainBytes;
    const large = uids.filter((uid) => !isPlain(uid));
    const known = (row: FetchMessageObject): Known => ({ storeId: `${uidValidity}.${row.uid}`, receivedAt: receivedAt(row) });
    yield* plainMessages(mailbox, uids.filter(isPlain), known);
    yield* largeMessages(mailbox, large, sizes, known);
    complete = true;
  } finally {
    await closeMailbox(mailbox, complete);
  }
}

/** One command for many messages; the server sends while the caller reads. */
function plainMessages({ client }: ImapMailbox, uids: readonly number[], known: Describe): AsyncGenerator<StoredMessage> {
  return fetchRows(client, uids, { internalDate: true, source: true }, (row) => {
    const raw = sourceOf(row);
    return raw && { ...known(row), raw };
  });
}

/** How many structures are held at a time. */
const STRUCTURES = 16;

/** Large messages: their structures in batches, then each of them without its attachments. */
async function* largeMessages(
  mailbox: ImapMailbox,
  uids: readonly number[],
  sizes: ReadonlyMap<number, number>,
  known: Describe,
): AsyncGenerator<StoredMessage> {
  for (let start = 0; start < uids.length; start += STRUCTURES) {
    const batch: { readonly row: FetchMessageObject; readonly known: Known }[] = [];
    const described = (row: FetchMessageObject) => (row.internalDate === undefined ? undefined : { row, known: known(row) });
    const rows = fetchRows(mailbox.client, uids.slice(start, start + STRUCTURES), { internalDate: true, bodyStructure: true }, described);
    for await (const row of rows) batch.push(row);
    for (const { row, known } of batch) {
      const raw = await largeBytes(mailbox, row, sizes.get(row.uid) ?? 0);
      if (raw !== undefined) yield { ...known, raw };
    }
  }
}

/** The bytes of a large message; undefined when it is gone. */
async function largeBytes(mailbox: ImapMailbox, { uid, bodyStructure }: FetchMessageObject, size: number): Promise<StoredMessage['raw'] | undefined> {
  const { client, limits } = mailbox;
  const structure = bodyStructure !== undefined && hasAttachments(bodyStructure, limits) ? bodyStructure : undefined;
  const isWhole = size <= limits.wholeBytes;
  if (isWhole && structure === undefined) return fetchRow(client, uid, { source: true }, sourceOf);

  const fetch = (start: number, maxLength: number) => fetchRow(client, uid, { source: { start, maxLength } }, sourceOf);
  // Asked for here, so that a message that has gone is none.
  const first = await fetch(0, limits.stepBytes);
  if (first === undefined) return undefined;
  const pieces = withoutAttachments(fetch, first, structure, limits);
  return isWhole ? joined(pieces) : pieces;
}

async function joined(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

/** imapflow answers `false` where the server said NIL, whatever its types say. */
function sourceOf({ source }: FetchMessageObject): Uint8Array | undefined {
  return source instanceof Uint8Array ? source : undefined;
}

/** INTERNALDATE in milliseconds. Every message has one (RFC 3501 2.3.3); one that is not readable must not hide the message. */
function receivedAt({ internalDate }: FetchMessageObject): number {
  if (internalDate instanceof Date) return internalDate.getTime();
  throw new ImapFailure('IMAP_MALFORMED', 'the server says no time of receipt that can be read');
}
