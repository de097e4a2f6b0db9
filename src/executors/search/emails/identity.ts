import { compareCodePoints } from '../../../core/code-points.ts';
import type { Head } from './head.ts';
import { createIdSet, hashOf } from './id-set.ts';

/** What orders two messages: time of receipt, then id (decision on SE-44). */
export interface MessageKey {
  readonly receivedAt: number;
  readonly name: string;
  /** Of the message's bytes; empty where the name is the store's own. */
  readonly sha256: string;
  /** 1 for the first of messages that are the same to the byte, 2 for the next. */
  readonly copy: number;
}

/**
 * Gives the messages of a scope ids that are unique in it and the same in any order of reading (SE-50).
 *
 * A message is named by its store (IMAP), else by its Message-ID, else `sha256:` and the hash of its bytes. Where a
 * Message-ID occurs more than once in the scope, each of its messages gets a space and such a hash behind it; copies that
 * are the same to the byte get `.0000002` and so on. No Message-ID has a space in it, so none can look like another's
 * name with a suffix, and ids sort like (name, hash, copy): the collector may sort before it is known who needs a suffix.
 */
export interface Identities {
  /** Tells of a message, match or not. Returns its name; undefined when only its bytes can name it. */
  note(head: Head): string | undefined;
  /** Which copy a wanted match is, the same bytes having been asked for before. */
  copyOf(name: string, sha256: string): number;
  /** The id of a message, when all are noted. */
  idOf(key: MessageKey): string;
}

const LONGEST = 512;
const CONTENT = 'sha256:';

export function createIdentities(): Identities {
  const names = createIdSet();
  const copies = new Map<string, number>();

  return {
    note(head) {
      const name = messageId(head);
      if (name !== undefined) names.add(hashOf(name));
      return name;
    },
    copyOf(name, sha256) {
      const copy = (copies.get(`${name} ${sha256}`) ?? 0) + 1;
      copies.set(`${name} ${sha256}`, copy);
      return copy;
    },
    idOf({ name, sha256, copy }) {
      if (sha256 === '') return name;
      const suffix = copy === 1 ? '' : `.${String(copy).padStart(7, '0')}`;
      if (name === contentName(sha256)) return name + suffix;
      return names.isRepeated(hashOf(name)) ? `${name} ${CONTENT}${sha256}${suffix}` : name;
    },
  };
}

export function contentName(sha256: string): string {
  return CONTENT + sha256;
}

export function compareKeys(a: MessageKey, b: MessageKey): number {
  return a.receivedAt - b.receivedAt || compareCodePoints(a.name, b.name) || compareCodePoints(a.sha256, b.sha256) || a.copy - b.copy;
}

/** The Message-ID as it stands, angle brackets included; of several the first. Undefined when it cannot serve as a name. */
function messageId(head: Head): string | undefined {
  const text = (head.values.get('message-id')?.[0] ?? '').trim();
  // Printable ASCII without spaces is what RFC 5322 3.6.4 allows.
  return text.length <= LONGEST && /^[\u0021-\u007e]+$/.test(text) && !text.startsWith(CONTENT) ? text : undefined;
}
