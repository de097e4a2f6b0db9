import { describe, expect, it } from 'vitest';
import { SearchQuery } from '../../src/contracts/index.ts';
import { mailboxFile } from '../support/mailbox.ts';
import { randomAsked, randomMailbox } from '../support/mailbox-random.ts';
import { cases } from '../support/oracle-runs.ts';
import { createRandom } from '../support/random.ts';
import { semanticSearchOver } from '../support/semantic-search.ts';

const queries = cases(15);

/** Scores are multiples of this; order and thresholds are by what they are then (docs/message-search.md). */
const STEPS = 2 ** 30;

/** Reciprocal ranks of both orders, written down once more. */
function fusedByHand(words: readonly number[], near: readonly number[], k: number): { id: number; score: number }[] {
  const part = (order: readonly number[], id: number): number => (order.includes(id) ? 1 / (k + order.indexOf(id) + 1) : 0);
  const rows = [...new Set([...words, ...near])].map((id) => ({
    id,
    score: Math.round((((part(words, id) + part(near, id)) * (k + 1)) / 2) * STEPS) / STEPS,
  }));
  return rows.sort((a, b) => b.score - a.score || a.id - b.id);
}

/** The two sides have their own oracles (message-search-fts5, message-search-semantic); this holds them together. */
describe('message search by words and vectors', () => {
  it.each([301, 302])('is the fusion of both orders of the same set, on every page (seed %i) [MS-009, MS-059, MS-064, MS-069, MS-046]', async (seed) => {
    const random = createRandom(seed);
    const box = randomMailbox(random, 150);
    const { file, remove } = mailboxFile(box);
    const search = semanticSearchOver(file);
    for (let index = 0; index < queries; index += 1) {
      const asked = randomAsked(random, box.agents);
      if (asked.wanted.by !== 'words') continue;
      const { ranking: _, min_score, ...query } = asked.query;
      const ids = async (mode: 'lexical' | 'semantic') =>
        (await search.search(SearchQuery.parse({ ...query, mode, limit: 1000 }), asked.viewer)).results.map(({ id }) => id);
      const k = random.pick([1, 60, 1000]);
      const expected = fusedByHand(await ids('lexical'), await ids('semantic'), k).filter(({ score }) => score >= (min_score ?? 0));
      const found: { id: number; score: number }[] = [];
      const limit = 1 + random.integer(40);
      let cursor: string | undefined;
      do {
        const answer = await search.search(SearchQuery.parse({ ...query, min_score, mode: 'hybrid', rrf_k: k, limit, cursor, explain: true }), asked.viewer);
        expect(answer.explain).toMatchObject({ engine: 'hybrid', method: 'hybrid', actual_mode: 'hybrid', mode_downgraded: false });
        found.push(
          ...answer.results.map(({ id, score, redacted }) => ({ id, score: redacted ? (expected.find((row) => row.id === id)?.score ?? -1) : (score ?? -1) })),
        );
        cursor = answer.next_cursor;
      } while (cursor !== undefined);
      expect({ ids: found.map(({ id }) => id), asked }).toEqual({ ids: expected.map(({ id }) => id), asked });
      for (const [at, { score }] of found.entries()) expect(score).toBeCloseTo(expected[at]?.score ?? -1, 8);
    }
    search.close();
    remove();
  });
});
