import type { SearchQuery } from '../../src/contracts/index.ts';
import { CLASSES, type QueryClass } from './mailbox.ts';

/** A query as the search takes it, and as bare FTS5 takes it. */
export interface BenchQuery {
  readonly query: SearchQuery;
  readonly match: string;
}

/** The queries of a class: each of its words alone, first page of fifty. */
export function queriesOf(name: QueryClass): BenchQuery[] {
  return Object.keys(CLASSES[name]).map((word) => ({ query: { text: word, limit: 50 }, match: word }));
}
