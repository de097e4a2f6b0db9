import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { MessageSearchService } from '../src/messages/search/service.ts';
import { createMessageSearch } from '../src/messages/serving/message-search.ts';
import { openMessagesReader } from '../src/messages/store/open.ts';
import type { Case, OpenSuite, Round, Suite } from './contract.ts';
import { type Bare, identicalSql, matching, plainSql } from './messages/bare.ts';
import { createFigures, type Figures } from './messages/figures.ts';
import { bareInserts, ingest } from './messages/ingest.ts';
import { openLibrary } from './messages/library.ts';
import { CLASSES, type QueryClass } from './messages/mailbox.ts';
import { ABSENT, queriesOf } from './messages/queries.ts';

const SIZES = { '1k': 1000, '10k': 10_000, '100k': 100_000, '1m': 1_000_000 } as const;
const INGESTED = 20_000;
/** How often a round asks all queries of a class, so that it lasts some tens of milliseconds. */
const REPEATS = { selective: 20, medium: 8, broad: 2 } as const satisfies Record<QueryClass, number>;

/** Message search in generated mailboxes against the identical statement in bare SQLite, in this thread and through the thread of a server. */
export const suite: Suite = {
  what: 'searches in agent mail of 1k to 1M messages against bare SQLite, and taking messages in',
  async open({ data, keep, scale }): Promise<OpenSuite> {
    const home = data ?? mkdtempSync(path.join(tmpdir(), 'writ-bench-messages-'));
    mkdirSync(home, { recursive: true });
    const figures = createFigures();
    const closers: (() => Promise<void> | void)[] = [];
    const cases: Case[] = [ingestCase(home, Math.max(2000, Math.round(INGESTED * scale)))];
    for (const [size, full] of Object.entries(SIZES)) {
      const count = Math.max(100, Math.round(full * scale));
      const file = path.join(home, `messages-${count}.sqlite`);
      if (!existsSync(file)) figures.set(`build_${size}.messages_per_second`, Math.round((count / ingest(file, count)) * 1000));
      process.stderr.write(`mailbox of ${count} messages: ${file}\n`);
      for (const name of Object.keys(CLASSES) as QueryClass[]) cases.push(searchCase({ file, size, name, figures, closers }));
    }
    await warmUp(path.join(home, `messages-${Math.max(100, Math.round(SIZES['1k'] * scale))}.sqlite`), figures);
    return {
      cases,
      metrics: async () => figures.metrics(),
      async close() {
        for (const close of closers) await close();
        if (!keep) rmSync(home, { recursive: true, force: true });
      },
    };
  },
};

/** Node compiles what runs often: a server has asked some 2,000 times before its searches are as fast as they will be. Its first 1,000 are figures. */
async function warmUp(file: string, figures: Figures): Promise<void> {
  const library = openLibrary(file);
  const db = openMessagesReader(file);
  const queries = queriesOf('selective', db);
  db.close();
  for (let turn = 0; turn < 1000; turn += 1) {
    for (const { query } of queries) {
      const start = performance.now();
      await library.service.search(query, null);
      if (turn < 200) figures.add('first_1000.selective_1k', performance.now() - start);
    }
  }
  library.close();
}

interface SearchWish {
  readonly file: string;
  readonly size: string;
  readonly name: QueryClass;
  readonly figures: Figures;
  readonly closers: (() => Promise<void> | void)[];
}

function searchCase({ file, size, name, figures, closers }: SearchWish): Case {
  const title = `${name}_${size}`;
  const db = openMessagesReader(file);
  const queries = queriesOf(name, db);
  const library = openLibrary(file);
  const served = createMessageSearch({ file });
  closers.push(
    () => void db.close(),
    library.close,
    () => served.stop(),
  );
  const rows = queries.reduce((sum, { match }) => sum + matching(db, match), 0) / queries.length;
  figures.set(`${title}.matching_rows`, Math.round(rows));
  figures.per(`library.${title}`, rows);
  let bare: Promise<Bare[]> | undefined;
  let started: Promise<unknown> | undefined;

  /** All queries of the class, often enough; the ids of each, and the time of all. */
  const round = async (figure: string, ask: (at: number) => Promise<number[]> | number[], repeats: number): Promise<Round> => {
    const work: number[][] = [];
    let value = 0;
    for (let turn = 0; turn < repeats; turn += 1) {
      for (const at of queries.keys()) {
        const start = performance.now();
        const ids = await ask(at);
        const ms = performance.now() - start;
        figures.add(`${figure}.${title}`, ms);
        value += ms;
        if (turn === 0) work.push(ids);
      }
    }
    return { value, work };
  };
  const search = (from: Pick<MessageSearchService, 'search'>) => async (at: number) =>
    (await from.search(queries[at]?.query ?? { text: '' }, null)).results.map(({ id }) => id);
  const timeAbsent = async (): Promise<void> => {
    for (let turn = 0; turn < REPEATS.selective; turn += 1) {
      const start = performance.now();
      await library.service.search(ABSENT, null);
      figures.add(`library.absent_${size}`, performance.now() - start);
    }
  };
  const plain = queries.map(({ match, query }) => plainSql(db, match, query.limit ?? 50));

  return {
    name: title,
    kind: 'speed',
    peer: 'sqlite_bare',
    async ours() {
      // Its thread starts with the first question, which nobody times.
      started ??= served.search({ text: 'x' }, null);
      await started;
      // The same through the thread that servers ask, and in plain SQL: figures, not part of the comparison.
      await round('end_to_end', search(served), 1);
      await round('plain_sql', (at) => plain[at]?.() ?? [], 1);
      if (name === 'selective') await timeAbsent();
      return round('library', search(library.service), REPEATS[name]);
    },
    async theirs() {
      bare ??= Promise.all(queries.map(async ({ query }) => identicalSql(db, await library.asked(query))));
      const statements = await bare;
      return round('bare', (at) => statements[at]?.() ?? [], REPEATS[name]);
    },
  };
}

function ingestCase(home: string, count: number): Case {
  const write = (how: (file: string, count: number) => number, name: string): { value: number; work: unknown } => {
    const directory = path.join(home, `ingest-${name}`);
    rmSync(directory, { recursive: true, force: true });
    const file = path.join(directory, 'messages.sqlite');
    const value = how(file, count);
    const db = openMessagesReader(file);
    const work = db
      .prepare(
        'SELECT (SELECT count(*) FROM messages) AS messages, (SELECT count(*) FROM message_recipients) AS recipients, (SELECT count(*) FROM agents) AS agents',
      )
      .get();
    db.close();
    return { value, work };
  };
  return {
    name: 'ingest',
    kind: 'speed',
    peer: 'sqlite_bare',
    ours: async () => write(ingest, 'ours'),
    theirs: async () => write(bareInserts, 'bare'),
  };
}
