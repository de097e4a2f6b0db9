import path from 'node:path';
import type { SearchMode } from '../../../src/contracts/index.ts';
import { createWriteEngine } from '../../../src/messages/store/write/engine.ts';
import { searchOver } from '../../support/search-service.ts';
import { semanticSearchOver } from '../../support/semantic-search.ts';
import { drawQueries, type KnownItem } from './draw.ts';
import { type Item, MAILBOXES } from './mailboxes.ts';

/** Results among which the item is looked for. */
const DEPTH = 50;
const BATCH = 500;

/** A question, and where its item came: 0 where it did not. */
export interface Answered extends KnownItem {
  readonly rank: number;
  readonly found: number;
  readonly ms: number;
}

/** Those that are there, at most `most` items each. */
export async function readMailboxes(most = Number.POSITIVE_INFINITY): Promise<ReadonlyMap<string, readonly Item[]>> {
  const read = new Map<string, readonly Item[]>();
  for (const [name, items] of Object.entries(MAILBOXES)) {
    const all = await items();
    const step = Math.max(1, Math.ceil(all.length / most));
    if (all.length > 0)
      read.set(
        name,
        all.filter((_, index) => index % step === 0),
      );
  }
  return read;
}

/** Writes each mailbox into a store of its own, through the writer that everybody uses. The id of an item is its index and 1. */
export function writeStores(mailboxes: ReadonlyMap<string, readonly Item[]>, directory: string): ReadonlyMap<string, string> {
  return new Map([...mailboxes].map(([name, items]) => [name, writeStore(items, path.join(directory, `${name}.sqlite`), name)]));
}

function writeStore(items: readonly Item[], file: string, project: string): string {
  const engine = createWriteEngine(file);
  try {
    for (let start = 0; start < items.length; start += BATCH) {
      const ops = items.slice(start, start + BATCH).map(({ subject, body }, index) => ({
        op: 'message' as const,
        project,
        key: `item-${start + index}`,
        from: 'writer',
        to: ['reader'],
        cc: [],
        bcc: [],
        thread_id: null,
        subject: subject.slice(0, 1000),
        body_md: body,
        importance: 'normal' as const,
        ack_required: false,
        created_ts: 1_700_000_000_000_000 + (start + index) * 1_000_000,
        attachments: [],
      }));
      engine.apply([{ at: 1 + start, ops }]);
    }
  } finally {
    engine.close();
  }
  return file;
}

/** Asks everything that was drawn from the seed. */
export async function measure(
  mailboxes: ReadonlyMap<string, readonly Item[]>,
  stores: ReadonlyMap<string, string>,
  { seed, ofEach, mode = 'lexical' }: { readonly seed: number; readonly ofEach: number; readonly mode?: SearchMode },
): Promise<readonly Answered[]> {
  const services = new Map([...stores].map(([name, file]) => [name, mode === 'lexical' ? searchOver(file) : semanticSearchOver(file)]));
  const answered: Answered[] = [];
  for (const query of drawQueries(mailboxes, seed, ofEach)) {
    const started = performance.now();
    const answer = await services.get(query.mailbox)?.search({ text: query.text, limit: DEPTH, mode }, null);
    const ids = answer?.results.map(({ id }) => id) ?? [];
    answered.push({ ...query, rank: ids.indexOf(query.item + 1) + 1, found: ids.length, ms: performance.now() - started });
  }
  for (const service of services.values()) service.close();
  return answered;
}

/** Mean of one divided by the rank. */
export function mrrOf(answered: readonly Answered[]): number {
  return answered.reduce((sum, { rank }) => sum + (rank === 0 ? 0 : 1 / rank), 0) / answered.length;
}
