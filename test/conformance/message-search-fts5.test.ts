import { describe } from 'vitest';
import { cases } from '../support/oracle-runs.ts';
import { searchOver } from '../support/search-service.ts';
import { messageSearchConformance } from './message-search.ts';

/** Searches on each mailbox; thousands in `npm run test:long -- message-search`. */
const queries = cases(25);

describe('message search over FTS5', () => {
  messageSearchConformance((file) => searchOver(file), { mailboxes: 5, queries, seed: 1 });
});
