import type { SqliteDatabase } from '../../src/adapters/sqlite/open.ts';
import type { SearchQuery } from '../../src/contracts/index.ts';
import { matching } from './bare.ts';
import { CLASSES, type QueryClass } from './mailbox.ts';

/** A query as the search takes it, and as bare FTS5 takes it. */
export interface BenchQuery {
  readonly query: SearchQuery;
  readonly match: string;
}

/** No message has it, nor a word like it. */
export const ABSENT: SearchQuery = { text: 'ptarmigan', limit: 50 };

/**
 * The queries of a class: each of its words alone, first page of fifty. A small mailbox may lack a rare word: what finds nothing
 * is looked for once more by other means, which no peer does and which is a figure of its own (`ABSENT`).
 */
export function queriesOf(name: QueryClass, db: SqliteDatabase): BenchQuery[] {
  const words = Object.keys(CLASSES[name]).filter((word) => matching(db, word) > 0);
  return words.map((word) => ({ query: { text: word, limit: 50 }, match: word }));
}
