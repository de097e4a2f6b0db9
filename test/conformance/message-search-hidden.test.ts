import { describe, expect, it } from 'vitest';
import { SearchQuery, type SearchResponse } from '../../src/contracts/index.ts';
import { engineRequestOf } from '../../src/messages/search/planner.ts';
import { normalQuery } from '../../src/messages/search/query.ts';
import { mailboxFile } from '../support/mailbox.ts';
import { randomAsked, randomMailbox } from '../support/mailbox-random.ts';
import { READERS, seenBy } from '../support/mailbox-readers.ts';
import { cases } from '../support/oracle-runs.ts';
import { createRandom, type Random } from '../support/random.ts';
import { searchOver } from '../support/search-service.ts';

/** An answer without what differs between two stores of the same mail: times, MACs of their own keys, and what BM25 makes of all mail. */
function comparable({ explain, next_cursor, results, ...rest }: SearchResponse, isRanked: boolean): unknown {
  if (explain === undefined) throw new Error('these searches ask for explain');
  const { timing: _, ...told } = explain;
  // FTS5 counts words over all mail (docs/message-search.md, Known limits): scores, and the order by them, depend on it.
  const rows = told.method === 'fts5' ? results.map(({ score: _score, score_factors: _factors, ...row }) => row) : results;
  return {
    ...rest,
    results: isRanked ? [...rows].sort((a, b) => a.id - b.id) : rows,
    next_cursor: next_cursor?.replace(/\.[0-9a-f]{32}$/, ''),
    explain: told,
  };
}

/** Tokens that name a row of which the reader does not know: plain ones, and one that was made for somebody else. */
function madeUp(random: Random, hidden: readonly number[], foreign: string): string {
  const id = hidden.length === 0 ? 1 : random.pick([...hidden]);
  return random.pick([`s43${'0'.repeat(14)}:i${id}:efts5`, `s3fe0000000000000:i${id}`, foreign.replace(/i\d+/, `i${id}`)]);
}

describe('what a reader may not see', () => {
  it.each(Object.keys(READERS) as (keyof typeof READERS)[])('shows in nothing of an answer: %s', { tags: ['MS-039', 'MS-091'] }, async (reader) => {
    for (let seed = 1; seed <= cases(4); seed += 1) await compared(reader, createRandom(seed));
  });
});

async function compared(reader: keyof typeof READERS, random: Random): Promise<void> {
  const box = randomMailbox(random, 90);
  const viewer = READERS[reader](random.pick([...box.agents]), box);
  const { seen, hidden } = seenBy(box, viewer);
  const [files, never] = [mailboxFile(box), mailboxFile(seen)];
  const [search, innocent] = [searchOver(files.file), searchOver(never.file)];
  const everything = { scope: { project_set: { allowed_project_ids: box.projects.map(({ id }) => id) } }, time_range: { min_ts: 0 } };
  const foreign = (await search.search({ text: '', limit: 1, ...everything }, null)).next_cursor ?? '';
  try {
    for (let turn = 0; turn < 25; turn += 1) {
      const query = { ...randomAsked(random, box.agents).query, min_score: undefined, explain: true, snippets: true, facets: true };
      const whole = SearchQuery.parse({ ...query, limit: 1000, cursor: random.chance(0.3) ? madeUp(random, hidden, foreign) : undefined });
      const [answer, expected] = [await search.search(whole, viewer), await innocent.search(whole, viewer)];
      expect({ whole, viewer, told: comparable(answer, true) }).toEqual({ whole, viewer, told: comparable(expected, true) });
      expect(answer.explain?.denied_count).toBe(0);
      // A row that could be seen once, and no longer can, has no place: its token goes on after the time that it tells.
      const { scope: _, redaction: __, ...rest } = query;
      const request = engineRequestOf(normalQuery({ ...rest, ranking: 'recency' }), viewer, { by: 'filters' }, 1_000_000);
      const after = { score: 1_700_000_000_000_003, id: BigInt(hidden[0] ?? 0), tagged: true };
      const [behind, same] = await Promise.all([search, innocent].map(async ({ fts5 }) => fts5.find({ ...request, after, list: 0 })));
      expect({ request, behind }).toEqual({ request, behind: same });
      // By time every page is the same, wherever a token begins.
      let cursors: readonly (string | undefined)[] = random.chance(0.5) ? [madeUp(random, hidden, foreign)] : [undefined];
      do {
        const pages = [search, innocent].map((one, at) =>
          one.search(SearchQuery.parse({ ...query, ranking: 'recency', limit: 4, cursor: cursors[at] ?? cursors[0] }), viewer),
        );
        const [page, other] = await Promise.all(pages);
        if (page === undefined || other === undefined) throw new Error('two searches answer twice');
        expect({ query, viewer, told: comparable(page, false) }).toEqual({ query, viewer, told: comparable(other, false) });
        cursors = [page.next_cursor, other.next_cursor];
      } while (cursors[0] !== undefined);
    }
  } finally {
    search.close();
    innocent.close();
    files.remove();
    never.remove();
  }
}
