import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fuzzMessageSearch } from '../../support/message-fuzz.ts';
import { fuzzedSearches } from '../../support/message-fuzz-searches.ts';
import { removeTree } from '../../support/remove-tree.ts';
import { fillMailbox } from './mailbox.ts';

const SEED = 20_261_122;

let home: string;
let searches: ReturnType<typeof fuzzedSearches>;

beforeAll(async () => {
  home = mkdtempSync(path.join(tmpdir(), 'writ-message-fuzz-'));
  const file = path.join(home, 'messages.sqlite');
  await fillMailbox(file);
  searches = fuzzedSearches(file);
});
afterAll(() => {
  searches.close();
  removeTree(home);
});

describe('fuzzed requests to message search', () => {
  it.each(['working', 'failing', 'throwing'] as const)(
    'with a %s engine are answered, or refused by INVALID_ARGUMENT or NOT_FOUND and a field',
    { tags: ['MS-157'] },
    async (engine) => {
      const counts = await fuzzMessageSearch(searches[engine], { runs: 400, seed: SEED });
      expect(counts.answered).toBeGreaterThan(50);
      expect(counts.INVALID_ARGUMENT).toBeGreaterThan(5);
      // Where nothing can be read, nobody can say that a place is not there.
      expect(counts.NOT_FOUND > 5).toBe(engine !== 'throwing');
    },
  );
});
