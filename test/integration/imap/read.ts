import { createImapSource } from '../../../src/adapters/imap/source.ts';
import type { ImapScope } from '../../../src/core/ports/index.ts';

export interface ReadMessage {
  readonly storeId: string | undefined;
  readonly receivedAt: number | undefined;
  readonly text: string;
  /** Whether it came in pieces. */
  readonly pieces: number;
}

/** Everything that a search would read, in the order of the ids. */
export async function readAll(scope: ImapScope, limits: Parameters<typeof createImapSource>[0] = {}): Promise<readonly ReadMessage[]> {
  const opened = await createImapSource(limits).open(scope);
  if (!opened.ok) throw new Error(`${opened.code}: ${opened.message}`);
  const read: ReadMessage[] = [];
  for await (const { storeId, receivedAt, raw } of opened.messages) {
    const chunks: Uint8Array[] = [];
    if (raw instanceof Uint8Array) chunks.push(raw);
    else for await (const piece of raw) chunks.push(piece);
    read.push({ storeId, receivedAt, text: Buffer.concat(chunks).toString('latin1'), pieces: chunks.length });
  }
  return read.sort((a, b) => uidOf(a) - uidOf(b));
}

const uidOf = ({ storeId }: ReadMessage) => Number(storeId?.split('.')[1]);

/** Why a mailbox is refused. */
export async function refusal(scope: ImapScope, limits: Parameters<typeof createImapSource>[0] = {}): Promise<string> {
  const opened = await createImapSource(limits).open(scope);
  if (opened.ok) {
    for await (const _ of opened.messages) break;
    return 'opened';
  }
  return `${opened.code}: ${opened.message}`;
}
