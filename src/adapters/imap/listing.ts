import { ImapFailure } from './failure.ts';
import type { ImapMailbox } from './mailbox.ts';

/** The messages that a mailbox held at one moment. */
export interface Listing {
  readonly uidValidity: bigint;
  /** Sizes in bytes as the server says them, by UID. */
  readonly sizes: ReadonlyMap<number, number>;
}

const TRIES = 3;

/**
 * Lists the mailbox as of its last EXAMINE; later arrivals are not in it. While messages are listed by number, the
 * server may not renumber them (RFC 3501 7.4.1), so a list that is shorter than it said is damaged, or somebody deleted
 * messages and the server let it show: then the mailbox is examined again.
 *
 * @throws ImapFailure IMAP_INCOMPLETE
 */
export async function listMailbox({ client, opened, examine }: ImapMailbox): Promise<Listing> {
  for (let n = 0; n < TRIES; n += 1) {
    const { exists, uidValidity } = n === 0 ? opened : await examine();
    if (typeof uidValidity !== 'bigint') throw new ImapFailure('IMAP_MALFORMED', 'the server names no UIDVALIDITY');
    const sizes = new Map<number, number>();
    if (exists === 0) return { uidValidity, sizes };
    for await (const { uid, size } of client.fetch(`1:${exists}`, { uid: true, size: true })) {
      if (uid !== undefined && size !== undefined && sizes.size < exists) sizes.set(uid, size);
    }
    if (sizes.size === exists) return { uidValidity, sizes };
  }
  throw new ImapFailure('IMAP_INCOMPLETE', 'the server does not list all of its messages');
}
