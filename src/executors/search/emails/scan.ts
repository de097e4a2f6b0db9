import { sha256Hex } from '../../../core/hash.ts';
import type { Found, ImapScope, MailFolderScope, MessageSource, StoredMessage } from '../../../core/ports/index.ts';
import { createCollector } from '../collector.ts';
import type { Scan, ScanQuery } from '../scan.ts';
import { ScanError } from '../scan-error.ts';
import { snippetOf } from '../snippet.ts';
import { asBuffer } from './bytes.ts';
import { type Head, readHead } from './head.ts';
import { compareKeys, contentName, createIdentities, type Identities, type MessageKey } from './identity.ts';
import { type Match, matchOf } from './match.ts';
import { createNeedle, type Needle } from './needle.ts';
import { receivedDate } from './received-date.ts';
import { skeletonOf } from './skeleton.ts';

export interface MailSources {
  readonly folder: MessageSource<MailFolderScope>;
  readonly imap: MessageSource<ImapScope>;
}

/**
 * SEARCH_EMAILS (search-executor.md 7.2): every message of one mailbox is read once, in any order; messages whose time of
 * receipt is unknown are left out. Holds one message, the answer, and 8 to 32 bytes for each message of the scope.
 */
export function createEmailsScan({ folder, imap }: MailSources): Scan<MailFolderScope | ImapScope> {
  return async (scope, question) => {
    const opened = await (scope.store === 'imap' ? imap.open(scope) : folder.open(scope));
    if (!opened.ok) throw new ScanError(opened.code, opened.message);
    return searchMessages(opened.messages, question);
  };
}

async function searchMessages(messages: AsyncIterable<StoredMessage> | Iterable<StoredMessage>, { query, maxResults }: ScanQuery): Promise<Found> {
  const needle = createNeedle(query);
  const answer = createAnswer(maxResults);

  function look(message: StoredMessage, read: ReadMessage): void {
    const name = message.storeId ?? answer.identities.note(read.head);
    const match = matchOf(read.bytes, read.head, needle);
    // Few messages match, and a date is dear to read.
    const receivedAt = match && (message.receivedAt ?? receivedDate(read.head.values.get('received')?.[0] ?? ''));
    if (match === undefined || receivedAt === undefined) return;
    answer.add(receivedAt, name, message.storeId === undefined ? read.sha256 : ownName, { match, needle });
  }

  // A wait for each message of a local mailbox, where nothing is waited for, costs a tenth of the search.
  if (Symbol.iterator in messages)
    for (const message of messages) look(message, isWhole(message.raw) ? whole(message.raw) : await inPieces(message, message.raw));
  else for await (const message of messages) look(message, isWhole(message.raw) ? whole(message.raw) : await inPieces(message, message.raw));
  return answer.found();
}

interface ReadMessage {
  readonly bytes: Buffer;
  readonly head: Head;
  sha256(): string;
}

function isWhole(raw: StoredMessage['raw']): raw is Uint8Array {
  return raw instanceof Uint8Array;
}

function whole(raw: Uint8Array): ReadMessage {
  const bytes = asBuffer(raw);
  return { bytes, head: readHead(bytes, 0, never), sha256: () => sha256Hex(bytes) };
}

async function inPieces({ place, storeId }: StoredMessage, raw: AsyncIterable<Uint8Array>): Promise<ReadMessage> {
  const { bytes, sha256 } = await skeletonOf(raw, place?.() ?? (storeId === undefined ? 'a message' : `the message ${storeId}`));
  return { bytes, head: readHead(bytes, 0, never), sha256: () => sha256 };
}

const never = (): boolean => false;
/** A name that the store gives needs no hash. */
const ownName = (): string => '';

interface Answer {
  readonly identities: Identities;
  /** @param sha256 asked for only where the match may be in the answer: hashing each match would cost more than finding it */
  add(receivedAt: number, name: string | undefined, sha256: () => string, found: { readonly match: Match; readonly needle: Needle }): void;
  found(): Found;
}

/** Collects matches under provisional ids; who needs a suffix is known when all messages were seen. */
function createAnswer(maxResults: number): Answer {
  const identities = createIdentities();
  const collector = createCollector<MessageKey>(maxResults, compareKeys);

  return {
    identities,
    add(receivedAt, name, sha256Of, { match, needle }) {
      let sha256: string | undefined;
      const known = (): string => (sha256 ??= sha256Of());
      const named = name ?? contentName(known());
      const wanted: MessageKey = {
        receivedAt,
        name: named,
        copy: 1,
        get sha256() {
          return known();
        },
      };
      if (!collector.wants(wanted)) {
        collector.skip();
        return;
      }
      const key = { receivedAt, name: named, sha256: known(), copy: identities.copyOf(named, known()) };
      const rest = { match_field: match.field, match_snippet: snippetOf(match.text, match.index, needle.query) };
      collector.add(key, () => ({ id: identities.idOf(key), ...rest }));
    },
    found: collector.found,
  };
}
