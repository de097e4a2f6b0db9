import { describe, expect, it } from 'vitest';
import type { SqliteDatabase } from '../../src/adapters/sqlite/open.ts';
import type { EngineFound, EngineRequest, EngineRow, MessageEngine } from '../../src/core/ports/message-engine.ts';
import { fts5Ranking } from '../../src/messages/engines/fts5/ranking.ts';
import { createSetReader } from '../../src/messages/engines/result-set/reader.ts';
import { scoredRanking } from '../../src/messages/engines/result-set/scored-engine.ts';
import type { PageStart, Ranking } from '../../src/messages/engines/result-set/statements.ts';
import type { MessageSearchService } from '../../src/messages/search/service.ts';
import { createMessagesReader } from '../../src/messages/store/reader.ts';
import type { SqlValue } from '../../src/messages/visibility/sql.ts';
import { mailboxFile } from '../support/mailbox.ts';
import { randomAsked, randomMailbox } from '../support/mailbox-random.ts';
import { cases } from '../support/oracle-runs.ts';
import { createRandom, type Random } from '../support/random.ts';
import { rankedSql } from '../support/ranked-sql.ts';
import { searchOver } from '../support/search-service.ts';

type Cell = string | number | null;
type Told = Pick<EngineFound, 'more' | 'matched' | 'denied' | 'list'> & { readonly rows: readonly (readonly [id: number, raw: number])[] };

describe('a ranked page', () => {
  it.each([2, 3])('is the one that SQLite makes in one statement, number by number (seed %i)', async (seed) => {
    const random = createRandom(seed);
    const box = randomMailbox(random, 60 * seed);
    const file = mailboxFile(box);
    const reader = createMessagesReader(file.file);
    const sets = createSetReader(reader.database);
    const seen = { rows: 0, hidden: 0, resumed: 0, gone: 0, cut: 0, newest: 0 };
    for (const asked of await ranked(file.file, box.agents, random)) {
      for (const ranking of rankings(reader.database(), asked, random)) {
        const { rows } = sets.page({ ...asked, scope: { ...asked.scope, keep_denied: true }, min_score: null, after: null, offset: 0 }, ranking);
        for (const { ask, place } of variants(asked, rows, random)) {
          const found = sets.page(ask, ranking);
          expect(toldBy(found)).toEqual(bySql(reader.database(), ask, ranking, place));
          seen.rows += Number(found.rows.length > 0);
          seen.hidden += Number((found.denied ?? 0) > 0);
          seen.resumed += Number(found.resumed === 'row');
          seen.gone += Number(found.resumed === 'score');
          seen.cut += Number(ask.min_score !== null && found.rows.length > 0);
          seen.newest += Number(ask.order === 'newest' && found.rows.length > 0);
        }
      }
    }
    expect(Math.min(...Object.values(seen)), JSON.stringify(seen)).toBeGreaterThan(10);
    reader.close();
    file.remove();
  });

  it('of thousands of rows keeps the best of them, in their order, and the others out', async () => {
    const random = createRandom(9);
    const file = mailboxFile(randomMailbox(random, 5000));
    const reader = createMessagesReader(file.file);
    const sets = createSetReader(reader.database);
    const ids = reader.database().prepare<[], number>('SELECT id FROM messages').pluck().all();
    const [asked] = await asksOf(file.file, (search) => search({ text: 'word' }, null));
    if (asked === undefined) throw new Error('nothing was asked');
    // Few different scores: ties must go by id, also among those that are dropped on the way.
    const ranking = scoredRanking({ ids: shuffled(ids, random), raws: ids.map(() => random.integer(40)), scale: { best: null, worst: 0 } });
    for (const [list, offset, limit] of [[500, 0, 50] as const, [0, 700, 3] as const, [10_000, 0, 10] as const]) {
      const ask = { ...asked, list, offset, limit };
      expect(toldBy(sets.page(ask, ranking))).toEqual(bySql(reader.database(), ask, ranking, null));
    }
    reader.close();
    file.remove();
  });
});

function toldBy({ rows, more, matched, denied, list }: EngineFound): Told {
  return { rows: rows.map(({ id, raw }) => [id, raw]), more, matched, denied, list };
}

/** The same from the one statement. */
function bySql(db: SqliteDatabase, ask: EngineRequest, ranking: Ranking, place: PageStart | null): Told {
  const { text, params } = rankedSql(ask, ranking, place);
  const [header = [], ...rows] = db
    .prepare<SqlValue[], Cell[]>(text)
    .raw(true)
    .all(...params);
  const [, matched, denied, f, lowest, highest, , listed, ids, keys] = header;
  const unit = ranking.sign / Number(f);
  return {
    rows: rows.slice(0, ask.limit).map(([, id, key]) => [Number(id), Number(key) * unit + 0]),
    more: rows.length > ask.limit,
    matched: Number(matched),
    denied: Number(denied),
    list:
      typeof ids !== 'string' || typeof keys !== 'string'
        ? null
        : { ids, keys, unit, lowest_key: Number(lowest), highest_key: Number(highest), whole: Number(listed) < Math.max(ask.list, ask.offset + ask.limit + 1) },
  };
}

/** Random questions for words, as engines get them. */
function ranked(file: string, agents: Parameters<typeof randomAsked>[1], random: Random): Promise<EngineRequest[]> {
  return asksOf(file, async (search) => {
    for (let turn = 0; turn < cases(240); turn += 1) {
      const { query, viewer } = randomAsked(random, agents);
      await search({ ...query, ranking: 'relevance' }, viewer);
    }
  });
}

/** What FTS5 is asked for words, by relevance, and answers. */
async function asksOf(file: string, work: (search: MessageSearchService['search']) => Promise<unknown>): Promise<EngineRequest[]> {
  const asks: EngineRequest[] = [];
  const plain = searchOver(file);
  const listening: MessageEngine = {
    ...plain.fts5,
    async find(ask) {
      const answer = await plain.fts5.find(ask);
      if (answer.ok && ask.match.by === 'words' && ask.order === 'relevance') asks.push(ask);
      return answer;
    },
  };
  const service = searchOver(file, { engines: { fts5: listening } });
  await work(service.search);
  service.close();
  plain.close();
  return asks;
}

/** The words of the question, and scores from outside: many the same, some of rows that are gone, best and worst given or found. */
function rankings(db: SqliteDatabase, { kind, match }: EngineRequest, random: Random): Ranking[] {
  const table = { message: 'messages', agent: 'agents', project: 'projects' }[kind];
  const ids = db.prepare<[], number>(`SELECT id FROM ${table}`).pluck().all();
  const some = shuffled([...ids, 1_000_001, 1_000_002], random).slice(0, 1 + random.integer(ids.length + 2));
  const raws = some.map(() => random.pick([0, 1, 0.5, random.integer(1000) / 1000, random.integer(10) * 2 ** -30]));
  const scale = { best: random.pick([null, 1]), worst: random.pick([null, 0]) };
  return [...(match.by === 'words' ? [fts5Ranking(kind, match.expression)] : []), scoredRanking({ ids: some, raws, scale })];
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  const keyed = items.map((item) => ({ item, key: random.integer(1_000_000) }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}

/** The same question with other pages, thresholds, viewers and orders; `found` is what it finds, with what the viewers may not see. */
function variants(asked: EngineRequest, found: readonly EngineRow[], random: Random): { readonly ask: EngineRequest; readonly place: PageStart | null }[] {
  const [rows, hidden] = [found.filter(({ visible }) => visible), found.filter(({ visible }) => !visible)];
  const row = rows.length === 0 ? undefined : random.pick(rows);
  const gone = 9_007_199_254_740_993n;
  const behind = (id: bigint, score: number): { ask: EngineRequest; place: PageStart } => ({
    ask: { ...asked, after: { id, score, tagged: true }, offset: 0, list: 0, limit: 3 },
    place: { id, score, at: null },
  });
  const first = (more: Partial<EngineRequest>) => ({ ask: { ...asked, after: null, ...more }, place: null });
  return [
    first({}),
    first({ scope: { ...asked.scope, keep_denied: !asked.scope.keep_denied } }),
    first({ offset: random.integer(5), limit: 1 + random.integer(4), list: random.pick([0, 1, 3, 500]) }),
    first({ min_score: row?.score ?? 0.5, limit: 3 }),
    first({ order: 'newest', list: 0, limit: 4 }),
    ...(asked.kind !== 'message' || row?.created_ts == null
      ? []
      : [
          {
            ask: { ...asked, order: 'newest' as const, after: { id: BigInt(row.id), score: row.created_ts, tagged: true }, offset: 0, list: 0, limit: 3 },
            place: { id: BigInt(row.id), score: row.created_ts, at: row.created_ts },
          },
        ]),
    ...(row === undefined ? [] : [behind(BigInt(row.id), row.score)]),
    behind(gone, row?.score ?? random.integer(1000) / 1000),
    // The place of a hidden row is nobody's business: its score decides.
    ...hidden.slice(0, 2).map(({ id }) => behind(BigInt(id), 0.5)),
  ];
}
