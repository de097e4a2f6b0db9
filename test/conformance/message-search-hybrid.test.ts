import { describe, expect, it } from 'vitest';
import { SearchQuery } from '../../src/contracts/index.ts';
import { embeddedText } from '../../src/core/ports/embedder.ts';
import { mailboxFile } from '../support/mailbox.ts';
import { weightIn } from '../support/mailbox-oracle.ts';
import { randomAsked, randomMailbox } from '../support/mailbox-random.ts';
import { cases } from '../support/oracle-runs.ts';
import { createRandom } from '../support/random.ts';
import { semanticSearchOver } from '../support/semantic-search.ts';

const queries = cases(15);

/** Scores are multiples of this; order and thresholds are by what they are then (docs/message-search.md). */
const STEPS = 2 ** 30;

interface Ranked {
  readonly id: number;
  readonly score: number;
}

/** Reciprocal ranks of both orders, written down once more; the best first. */
function fusedByHand(words: readonly number[], near: readonly number[], k: number): Ranked[] {
  const part = (order: readonly number[], id: number): number => (order.includes(id) ? 1 / (k + order.indexOf(id) + 1) : 0);
  return [...new Set([...words, ...near])].map((id) => ({ id, score: ((part(words, id) + part(near, id)) * (k + 1)) / 2 })).sort(byScore);
}

/** The first rows by what the judge says of their texts, the others behind them, in their order. */
function judgedByHand(fused: readonly Ranked[], top: number, textOf: (id: number) => string): Ranked[] {
  const judged = fused.slice(0, top).map(({ id }) => ({ id, score: 1 / (1 + Math.exp(-logit(textOf(id)))) }));
  const lowest = Math.min(1, ...judged.map(({ score }) => score));
  return [...judged, ...fused.slice(top).map(({ id, score }) => ({ id, score: score * lowest }))];
}

/** Knows no language, is different for most texts, and the same for some. */
function logit(text: string): number {
  let sum = 0;
  for (const letter of text) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 1009;
  return (sum % 41) / 10 - 2;
}

function snapped(rows: readonly Ranked[]): Ranked[] {
  return rows.map(({ id, score }) => ({ id, score: Math.round(score * STEPS) / STEPS })).sort(byScore);
}

function byScore(a: Ranked, b: Ranked): number {
  return b.score - a.score || a.id - b.id;
}

/** The two sides have their own oracles (message-search-fts5, message-search-semantic); this holds them together. */
describe('message search by words and vectors', () => {
  it.each([
    ['hybrid', 'the fusion of both orders of the same set', 301],
    ['hybrid', 'the fusion of both orders of the same set', 302],
    ['hybrid_rerank', 'that fusion, its first rows in the order of a judge', 303],
    ['hybrid_rerank', 'that fusion, its first rows in the order of a judge', 304],
  ] as const)(
    'in mode %s is %s, on every page (seed %i)',
    { tags: ['MS-009', 'MS-010', 'MS-059', 'MS-064', 'MS-065', 'MS-069', 'MS-046'] },
    async (mode, _, seed) => {
      const random = createRandom(seed);
      const box = randomMailbox(random, 150);
      const { file, remove } = mailboxFile(box);
      const texts = new Map(box.mails.map(({ id, subject, body }) => [id, embeddedText(subject, body)]));
      const search = semanticSearchOver(file, { reranker: { id: 'by hand', judge: async (__, asked) => asked.map(logit) } });
      for (let index = 0; index < queries; index += 1) {
        const asked = randomAsked(random, box.agents);
        if (asked.wanted.by !== 'words') continue;
        const { ranking: _ranking, min_score, ...query } = asked.query;
        const ids = async (side: 'lexical' | 'semantic') =>
          (await search.search(SearchQuery.parse({ ...query, retry: false, mode: side, limit: 1000 }), asked.viewer)).results.map(({ id }) => id);
        const k = random.pick([1, 60, 1000]);
        const top = random.pick([1, 10, 25, 100]);
        // Hashed words are near by chance: a row that has none of the words, whatever the filters, has nothing to speak for it.
        const leaves = asked.wanted.groups.flat();
        const hasAny = (id: number): boolean => box.mails.some((mail) => mail.id === id && leaves.some((leaf) => weightIn(mail, leaf, true) > 0));
        const words = await ids('lexical');
        // And they move nothing that words have found.
        const near = [...words, ...(await ids('semantic')).filter((id) => hasAny(id) && !words.includes(id))];
        const fused = fusedByHand(words, near, k);
        const ranked = mode === 'hybrid' ? fused : judgedByHand(fused, Math.max(10, top), (id) => texts.get(id) ?? '');
        const expected = snapped(ranked).filter(({ score }) => score >= (min_score ?? 0));
        const found: Ranked[] = [];
        const limit = 1 + random.integer(40);
        let cursor: string | undefined;
        do {
          const wish = { ...query, retry: false, min_score, mode, rrf_k: k, rerank_top_k: top, limit, cursor, explain: true };
          const answer = await search.search(SearchQuery.parse(wish), asked.viewer);
          expect(answer.explain).toMatchObject({ engine: mode, method: mode, actual_mode: mode, mode_downgraded: false });
          found.push(
            ...answer.results.map(({ id, score, redacted }) => ({
              id,
              score: redacted ? (expected.find((row) => row.id === id)?.score ?? -1) : (score ?? -1),
            })),
          );
          cursor = answer.next_cursor;
        } while (cursor !== undefined);
        expect({ ids: found.map(({ id }) => id), asked }).toEqual({ ids: expected.map(({ id }) => id), asked });
        for (const [at, { score }] of found.entries()) expect(score).toBeCloseTo(expected[at]?.score ?? -1, 8);
      }
      search.close();
      remove();
    },
  );
});
