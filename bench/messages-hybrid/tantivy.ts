import path from 'node:path';
import type { SqliteDatabase } from '../../src/adapters/sqlite/open.ts';
import type { EngineRequest } from '../../src/core/ports/message-engine.ts';
import { scoredRanking } from '../../src/messages/engines/result-set/scored-engine.ts';
import { loadTantivy, type Tantivy } from '../../src/messages/engines/tantivy/binding.ts';
import { createTantivyEngine } from '../../src/messages/engines/tantivy/engine.ts';
import { createTantivyIndexer } from '../../src/messages/engines/tantivy/indexer.ts';
import { createPins, type Pinned } from '../../src/messages/engines/tantivy/pinned.ts';
import { fieldOf, PARTS } from '../../src/messages/engines/tantivy/schema.ts';
import { openMessagesReader } from '../../src/messages/store/open.ts';
import { createRecipientsReader } from '../../src/messages/store/recipients.ts';
import type { SqlValue } from '../../src/messages/visibility/sql.ts';
import { rankedSql } from '../../test/support/ranked-sql.ts';
import type { Case, Round } from '../contract.ts';
import type { Figures } from '../messages/figures.ts';
import { openLibrary } from '../messages/library.ts';
import { CLASSES, type QueryClass } from '../messages/mailbox.ts';
import { queriesOf } from '../messages/queries.ts';
import type { BenchMailbox } from './mailboxes.ts';

const REPEATS = { selective: 20, medium: 4, broad: 1 } as const satisfies Record<QueryClass, number>;
const WINDOW = 2000;
const PAGE = 50;

interface Place {
  readonly home: string;
  readonly mailboxes: readonly BenchMailbox[];
  readonly figures: Figures;
  readonly closers: (() => void)[];
}

/** Searches by Tantivy in generated mailboxes, against what a program would write that has the binding and the statement, and nothing else. */
export function tantivyCases(place: Place): Case[] {
  const loaded = loadTantivy();
  if (!loaded.ok) {
    process.stderr.write(`Tantivy is left out: ${loaded.why}; run: scripts/tantivy\n`);
    return [];
  }
  return place.mailboxes.flatMap((mailbox) => casesOf(loaded.tantivy, mailbox, place));
}

function casesOf(tantivy: Tantivy, { size, count, file }: BenchMailbox, { home, figures, closers }: Place): Case[] {
  const db = openMessagesReader(file);
  const root = path.join(home, `tantivy-${count}`);
  const indexer = createTantivyIndexer({ tantivy, root, db, emit: () => undefined });
  const start = performance.now();
  indexer.rebuild();
  figures.set(`tantivy_build_${size}.messages_per_second`, Math.round((count / (performance.now() - start)) * 1000));
  indexer.close();
  const pin = createPins(tantivy, root)();
  if (!pin.ok) throw new Error(pin.why);
  figures.set(`tantivy_size_${size}.bytes_per_message`, Math.round(pin.pinned.published.files.reduce((sum, one) => sum + one.size, 0) / count));
  const library = openLibrary(file, (database) => ({ tantivy: createTantivyEngine({ tantivy, root, database }) }));
  closers.push(() => db.close(), library.close);
  return (Object.keys(CLASSES) as QueryClass[]).map((name): Case => {
    const queries = queriesOf(name, db);
    const title = `tantivy_${name}_${size}`;
    const bare = queries.map(({ query }) => bareTantivy(tantivy, pin.pinned, db, query.text));
    const alone = queries.map(({ query }) => {
      const wanted = queryOf(tantivy, pin.pinned, query.text);
      return () => pin.pinned.search(wanted, PAGE + 1).ids;
    });
    const round = async (figure: string, ask: (at: number) => Promise<number[]> | number[], repeats: number): Promise<Round> => {
      const work: number[][] = [];
      let value = 0;
      for (let turn = 0; turn < repeats; turn += 1) {
        for (const at of queries.keys()) {
          const begun = performance.now();
          const ids = await ask(at);
          const ms = performance.now() - begun;
          figures.add(`${figure}.${title}`, ms);
          value += ms;
          if (turn === 0) work.push(ids);
        }
      }
      return { value, work };
    };
    return {
      name: title,
      kind: 'speed',
      peer: 'tantivy_bare',
      async ours() {
        // The binding's search alone, without rows, count and order: a figure, not part of the comparison.
        await round('binding_alone', (at) => alone[at]?.() ?? [], 1);
        return round(
          'library',
          async (at) => (await library.service.search(queries[at]?.query ?? { text: '' }, null)).results.map(({ id }) => id),
          REPEATS[name],
        );
      },
      async theirs() {
        const asks = await Promise.all(queries.map(({ query }) => library.asked(query)));
        return round('bare', (at) => (asks[at] === undefined ? [] : (bare[at]?.(asks[at]) ?? [])), REPEATS[name]);
      },
    };
  });
}

function queryOf({ Query, Occur }: Tantivy, { schema }: Pinned, word: string) {
  const inPart = (part: keyof typeof PARTS) => ({
    occur: Occur.Should,
    query: Query.boostQuery(Query.termQuery(schema, fieldOf('message', part), word), PARTS[part]),
  });
  return Query.booleanQuery([inPart('title'), inPart('body')]);
}

/** One query of the binding, its hits as ids, the identical statements for the page and its recipients; of all hits where the best ones cannot settle it. */
function bareTantivy(tantivy: Tantivy, pinned: Pinned, db: SqliteDatabase, word: string): (ask: EngineRequest) => number[] {
  const query = queryOf(tantivy, pinned, word);
  const recipients = createRecipientsReader(() => db);
  let statement: ReturnType<typeof db.prepare<SqlValue[], { 0: number; n: number }>> | undefined;
  const rows = (ask: EngineRequest, { ids, raws }: ReturnType<Pinned['search']>): number[] => {
    const grid = 2 ** (Math.floor(Math.log2(raws[0] ?? 1)) - 20);
    const snapped = raws.map((raw) => Math.round(raw / grid) * grid);
    const { text, params } = rankedSql(ask, scoredRanking({ ids, raws: snapped, scale: { best: null, worst: 0 } }), null);
    statement ??= db.prepare<SqlValue[], { 0: number; n: number }>(text);
    const found = statement
      .all(...params)
      .slice(1, ask.limit + 1)
      .map(({ n }) => n);
    recipients({ ids: found, scope: ask.scope, now_us: ask.now_us });
    return found;
  };
  return (ask) => {
    const best = pinned.search(query, WINDOW);
    const isSettled = best.count <= best.ids.length || (best.raws.at(ask.list) ?? 0) > (best.raws.at(-1) ?? 0);
    return rows(ask, isSettled ? best : pinned.search(query, Number.POSITIVE_INFINITY));
  };
}
