import { describe } from 'vitest';
import { cases } from '../support/oracle-runs.ts';
import { semanticSearchOver } from '../support/semantic-search.ts';
import { hashRank } from '../support/vector-oracle.ts';
import { messageSearchConformance } from './message-search.ts';

const queries = cases(15);

describe('message search by vectors', () => {
  messageSearchConformance((file) => semanticSearchOver(file), { mailboxes: 3, queries, seed: 201, mode: 'semantic', rank: hashRank });
});
