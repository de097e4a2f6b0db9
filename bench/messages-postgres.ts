import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemClock } from '../src/core/clock.ts';
import { createPostgresqlEngine } from '../src/messages/engines/postgresql/engine.ts';
import { createPostgresqlMirror } from '../src/messages/engines/postgresql/mirror.ts';
import { createServers } from '../src/messages/engines/postgresql/servers.ts';
import { createTokens } from '../src/messages/engines/postgresql/tokens.ts';
import { standardOfStore } from '../src/messages/serving/postgresql.ts';
import { createMessagesReader } from '../src/messages/store/reader.ts';
import { postgresqlAt, startPostgresql, type TestPostgresql } from '../test/support/postgresql.ts';
import type { Case, OpenSuite, Round, Suite } from './contract.ts';
import { createFigures, type Figures } from './messages/figures.ts';
import { ingest } from './messages/ingest.ts';
import { openLibrary } from './messages/library.ts';
import { CLASSES, type QueryClass } from './messages/mailbox.ts';
import { queriesOf } from './messages/queries.ts';
import { barePage } from './messages-postgres/bare.ts';
import { multiply } from './messages-postgres/multiply.ts';

/** Messages of a mailbox, and how often the copy has each, under other ids. */
const SIZES = {
  '1k': { messages: 1000, times: 1 },
  '10k': { messages: 10_000, times: 1 },
  '100k': { messages: 100_000, times: 1 },
  '1m': { messages: 100_000, times: 10 },
} as const;
/** What a server of a team gives PostgreSQL at least. */
const SHARED_BUFFERS = '1GB';
/** How often a round asks all queries of a class. */
const REPEATS = { selective: 10, medium: 4, broad: 1 } as const satisfies Record<QueryClass, number>;
const PAGE = 50;

/** Message search by a server of PostgreSQL against the same page as one statement of it, in the same database. */
export const suite: Suite = {
  what: 'searches in agent mail that PostgreSQL has a copy of, against the same page as one statement',
  async open({ data, keep, scale }): Promise<OpenSuite> {
    const home = data ?? mkdtempSync(path.join(tmpdir(), 'writ-bench-postgres-'));
    mkdirSync(home, { recursive: true });
    const figures = createFigures();
    const server = await startPostgresql({ sharedBuffers: SHARED_BUFFERS });
    const closers: (() => Promise<void> | void)[] = [];
    const cases: Case[] = [];
    for (const [size, { messages, times }] of Object.entries(SIZES)) {
      const count = Math.max(100, Math.round(messages * scale));
      const file = path.join(home, `messages-${count}.sqlite`);
      if (!existsSync(file)) ingest(file, count);
      cases.push(...(await copied({ server, file, size, count, times, figures, closers })));
    }
    return {
      cases,
      metrics: async () => figures.metrics(),
      async close() {
        for (const close of closers) await close();
        await server[Symbol.asyncDispose]();
        if (!keep) rmSync(home, { recursive: true, force: true });
      },
    };
  },
};

interface CopyWish {
  readonly server: TestPostgresql;
  readonly file: string;
  readonly size: string;
  readonly count: number;
  readonly times: number;
  readonly figures: Figures;
  readonly closers: (() => Promise<void> | void)[];
}

/** A mailbox in a database of its own, and its cases. */
async function copied({ server, file, size, count, times, figures, closers }: CopyWish): Promise<Case[]> {
  const url = server.database();
  const postgresql = postgresqlAt(url);
  const reader = createMessagesReader(file);
  closers.push(
    () => postgresql.close(),
    () => reader.close(),
  );
  const start = performance.now();
  await createPostgresqlMirror({ postgresql, db: reader.database(), emit: () => undefined }).follow();
  if (times === 1) figures.set(`copy_${size}.messages_per_second`, Math.round((count / (performance.now() - start)) * 1000));
  const name = /writ\d+/.exec(url)?.[0] ?? '';
  if (times > 1) multiply(server, name, times);
  figures.set(`copy_${size}.bytes`, Number(server.psql(name, 'VACUUM ANALYZE; SELECT pg_database_size(current_database());')));
  const tokens = createTokens();
  const standard = standardOfStore(reader.database);
  const engine = createPostgresqlEngine({ servers: createServers({ primary: postgresql, replicas: [], standard, elapsed: systemClock.monotonic }), tokens });
  const library = openLibrary(file, () => ({ postgresql: engine }), 'postgresql');
  closers.push(library.close);

  return (Object.keys(CLASSES) as QueryClass[]).map((kind): Case => {
    const queries = queriesOf(kind, reader.database());
    const bare = queries.map(({ match }) => barePage(postgresql, tokens, match, PAGE));
    /** All queries of the class, often enough; the ids of each, and the time of all. */
    const round = async (figure: string, ask: (at: number) => Promise<number[]>): Promise<Round> => {
      const work: number[][] = [];
      let value = 0;
      for (let turn = 0; turn < REPEATS[kind]; turn += 1) {
        for (const at of queries.keys()) {
          const begun = performance.now();
          const ids = await ask(at);
          const ms = performance.now() - begun;
          figures.add(`${figure}.${kind}_${size}`, ms);
          value += ms;
          if (turn === 0) work.push(ids);
        }
      }
      return { value, work };
    };
    const search = async (at: number): Promise<number[]> => {
      const answer = await library.service.search({ text: '', ...queries[at]?.query, explain: true }, null);
      if (answer.explain?.engine !== 'postgresql') throw new Error(`PostgreSQL did not answer: ${answer.explain?.downgrade_reason}`);
      return answer.results.map(({ id }) => id);
    };
    return {
      name: `${kind}_${size}`,
      kind: 'speed',
      peer: 'sql_bare',
      ours: () => round('library', search),
      theirs: () => round('bare', async (at) => (await bare[at]?.()) ?? []),
    };
  });
}
