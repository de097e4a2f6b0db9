import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type IngestOp, SearchQuery } from '../../src/contracts/index.ts';
import { sequential } from '../../src/core/lifecycle.ts';
import type { MessageIndexEvent } from '../../src/core/ports/index.ts';
import { createFts5Engine } from '../../src/messages/engines/fts5/engine.ts';
import { createPostgresqlEngine } from '../../src/messages/engines/postgresql/engine.ts';
import { createPostgresqlMirror } from '../../src/messages/engines/postgresql/mirror.ts';
import { createServers } from '../../src/messages/engines/postgresql/servers.ts';
import { createTokens } from '../../src/messages/engines/postgresql/tokens.ts';
import { compareEngines } from '../../src/messages/search/compare-engines.ts';
import { engineRequestOf, planOf } from '../../src/messages/search/planner.ts';
import { normalQuery } from '../../src/messages/search/query.ts';
import { createMessageSearch } from '../../src/messages/serving/message-search.ts';
import { createIndexedStore } from '../../src/messages/serving/message-writer.ts';
import { standardOfStore } from '../../src/messages/serving/postgresql.ts';
import { postgresqlOf } from '../../src/messages/serving/postgresql-target.ts';
import { createMessagesReader } from '../../src/messages/store/reader.ts';
import { addMails, mailboxFile } from '../support/mailbox.ts';
import { randomMailbox } from '../support/mailbox-random.ts';
import { READERS } from '../support/mailbox-readers.ts';
import { BOX } from '../support/mailbox-small.ts';
import { message } from '../support/messages/samples.ts';
import { cases } from '../support/oracle-runs.ts';
import { patient } from '../support/patience.ts';
import { postgresqlAt, startPostgresql, type TestPostgresql } from '../support/postgresql.ts';
import { createRandom } from '../support/random.ts';
import { searchOver } from '../support/search-service.ts';
import { messageEngineConformance } from './message-engine.ts';
import { messageSearchConformance } from './message-search.ts';

/** Hundreds of searches in `npm run test:long -- message-search`. */
const queries = cases(2);

let server: TestPostgresql;
beforeAll(async () => {
  server = await startPostgresql();
});
afterAll(() => server[Symbol.asyncDispose]());

/** A store, its copy in a database of PostgreSQL, and an engine over that. */
function copyOf(file: string, url = server.database(), statementMs?: number) {
  const reader = createMessagesReader(file);
  const postgresql = postgresqlAt(url, statementMs);
  return {
    url,
    reader,
    postgresql,
    mirror: createPostgresqlMirror({ postgresql, db: reader.database(), emit: () => undefined, batch: 50 }),
    engine: createPostgresqlEngine({
      servers: createServers({ primary: postgresql, replicas: [], standard: standardOfStore(reader.database), elapsed: () => performance.now() }),
      tokens: createTokens(),
    }),
    async close() {
      await postgresql.close();
      reader.close();
    },
  };
}

describe('PostgreSQL as an engine of message search', () => {
  messageEngineConformance({
    scoresTellNothing: true,
    make(file) {
      const { url, engine, mirror, close } = copyOf(file);
      return {
        engine,
        follow: () => mirror.follow(),
        async close() {
          await close();
          server.giveBack(url);
        },
      };
    },
  });
});

describe('message search over PostgreSQL', () => {
  /** One copy for all who search a file. */
  const open = new Map<string, ReturnType<typeof copyOf>>();

  messageSearchConformance(
    (file) => {
      const copy = open.get(file) ?? copyOf(file);
      const isFirst = !open.has(file);
      open.set(file, copy);
      const service = searchOver(file, { engines: { postgresql: copy.engine }, killSwitch: 'postgresql' });
      return {
        async search(query, viewer) {
          await copy.mirror.follow();
          const answer = await service.search(query, viewer);
          expect(answer.explain?.engine ?? 'postgresql').toBe('postgresql');
          return answer;
        },
        close() {
          service.close();
          if (isFirst) void copy.close().then(() => server.giveBack(copy.url));
          open.delete(file);
        },
      };
    },
    { mailboxes: 1, queries, seed: 401, rank: 'visible' },
  );
});

describe('a host whose engine is PostgreSQL', () => {
  it('copies what the writer commits, edits of recipients too, and searches there in processes of its own', { tags: ['MS-152'] }, async () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'writ-pg-host-'));
    const file = path.join(directory, 'messages.sqlite');
    const settings = { engine: 'postgresql', postgresql_url: server.database(), postgresql_replicas: [], postgresql_password_file: '' };
    const told = new EventEmitter();
    const failed: string[] = [];
    const listener = () => ({ onEvent: (event: MessageIndexEvent) => void told.emit(event.event), onFailed: (why: string) => void failed.push(why) });
    const { store, indexes } = createIndexedStore({ file, batchOps: 100, listener, ...postgresqlOf(settings) });
    const running = sequential([store, ...indexes]);
    await running.start();
    const write = async (op: IngestOp, at: number): Promise<void> => {
      const copied = once(told, 'index.incremental.batch');
      await store.write({ at, ops: [op] });
      await copied;
    };
    await write(message({ key: 'a', body_md: 'about falcons' }), 1);
    const search = createMessageSearch({ file, killSwitch: 'postgresql', processes: 1, deadlineMs: patient(2000), ...postgresqlOf(settings) });
    const first = await search.search({ text: 'falcons', explain: true }, null);
    expect(first.explain).toMatchObject({ engine: 'postgresql', method: 'postgresql', mode_downgraded: false });
    await write(message({ key: 'a', body_md: 'about falcons', to: ['RedStone'] }), 2);
    const edited = await search.search({ text: 'falcons', recipient_name: 'RedStone', explain: true }, null);
    expect(edited).toMatchObject({ results: [{ title: 'subject of a', to: ['RedStone'] }], explain: { engine: 'postgresql' } });
    // A text that cannot be read as words is looked for in the tables, there too.
    const parts = await search.search({ text: 'bout, falc', explain: true }, null);
    expect(parts.explain).toMatchObject({ engine: 'postgresql', method: 'like_fallback', matched_count: 1, mode_downgraded: false });
    expect(failed).toEqual([]);
    await search.stop();
    await running.stop();
    rmSync(directory, { recursive: true });
  });
});

describe('a change of engines', () => {
  it('serves SQLite while the copy is made, compares it in the shadow, and goes over without a stop', async () => {
    const box = mailboxFile(BOX);
    const copy = copyOf(box.file);
    const settings = { engine: 'shadow', postgresql_url: copy.url, postgresql_replicas: [], postgresql_password_file: '' };
    // The writer makes a copy for the shadow, too.
    expect(postgresqlOf(settings)).toMatchObject({ postgresql: { url: copy.url } });
    const shadowed = searchOver(box.file, { engines: { postgresql: copy.engine }, killSwitch: 'shadow' });
    const before = await shadowed.search({ text: 'plan', explain: true }, null);
    expect(before.results).toHaveLength(5);
    expect([before.explain?.engine, before.explain?.shadow]).toEqual(['fts5', undefined]);
    expect(shadowed.events).toContainEqual({ event: 'search.engine.error', engine: 'postgresql', message: 'there is no copy in PostgreSQL yet' });
    await copy.mirror.follow();
    const level = await shadowed.search({ text: 'plan', explain: true }, null);
    const shadow = { serving_engine: 'fts5', shadow_engine: 'postgresql', overlap_jaccard: 1, ndcg_at_10: 1, mrr_delta: 0, serving_only: 0, shadow_only: 0 };
    expect(level.explain).toMatchObject({ engine: 'fts5', shadow });
    const [serving, after] = [
      searchOver(box.file, { killSwitch: 'fts5' }),
      searchOver(box.file, { engines: { postgresql: copy.engine }, killSwitch: 'postgresql' }),
    ];
    const signal = new AbortController().signal;
    const report = await compareEngines({ name: 'postgresql', serving, shadow: after }, { texts: ['plan', 'build', 'note OR plan'], limit: 50, signal });
    expect(report).toMatchObject({ compared: 3, errors: 0, mean: { overlap_jaccard: 1, ndcg_at_10: 1 } });
    expect((await after.search({ text: 'plan', explain: true }, null)).results.map(({ id }) => id)).toEqual(level.results.map(({ id }) => id));
    for (const search of [shadowed, serving, after]) search.close();
    await copy.close();
    box.remove();
  });
});

describe('agents and projects', () => {
  it('are found as FTS5 finds them, for every kind of reader', async () => {
    const random = createRandom(11);
    const box = randomMailbox(random, 1);
    const { file, remove } = mailboxFile(box);
    const copy = copyOf(file);
    await copy.mirror.follow();
    const fts5 = createFts5Engine(copy.reader.database);
    for (const viewer of [null, ...Object.values(READERS).map((reader) => reader(random.pick(box.agents), box))]) {
      for (const [doc_kind, text] of [
        ['agent', 'plan OR build'],
        ['agent', 'b*'],
        ['project', 'pl* OR te* OR bu*'],
        ['project', 'srv'],
      ] as const) {
        const normal = normalQuery(SearchQuery.parse({ doc_kind, text, explain: true, limit: 50 }));
        const plan = planOf(normal);
        if (plan.empty) throw new Error(text);
        const request = { ...engineRequestOf(normal, viewer, plan.match, 1_000_000_000), after: null, list: 0 };
        const [found, expected] = [await copy.engine.find(request), await fts5.find(request)];
        const told = (answer: typeof found) => (answer.ok ? answer.value.rows.map(({ score: _, raw: __, ...row }) => row).sort((a, b) => a.id - b.id) : answer);
        expect({ viewer, text, rows: told(found) }).toEqual({ viewer, text, rows: told(expected) });
      }
    }
    await copy.close();
    remove();
  });
});

describe('the copy of the messages', () => {
  it('shows nothing to a transaction that does not say who reads, and to nobody for whom row-level security does not hold', async () => {
    const box = mailboxFile(BOX);
    const copy = copyOf(box.file);
    await copy.mirror.follow();
    const [name = ''] = /writ\d+/.exec(copy.url) ?? [];
    const counted = (settings: string): string => server.psql(name, `SET ROLE writ; ${settings} SELECT count(*) FROM writ_messages.messages;`).trim();
    expect(counted('')).toBe('0');
    expect(counted(`SET writ.mode = 'read';`)).toBe('0');
    expect(counted(`SET writ.mode = 'read'; SET writ.projects = 'all'; SET writ.viewers = '1'; SET writ.agents_1 = '{4}';`)).toBe('1');
    expect(counted(`SET writ.mode = 'write';`)).toBe('6');
    const above = copyOf(box.file, copy.url.replace('user=writ', 'user=postgres'));
    await expect(above.mirror.follow()).rejects.toThrow('row-level security does not hold');
    const search = searchOver(box.file, { engines: { postgresql: above.engine }, killSwitch: 'postgresql' });
    const answer = await search.search({ text: 'plan', explain: true }, null);
    expect(answer.explain).toMatchObject({ engine: 'fts5', mode_downgraded: true });
    search.close();
    await above.close();
    await copy.close();
    box.remove();
  });

  it('is the same when steps are done twice, by two at once, and begun anew; and it is of one store', async () => {
    const box = mailboxFile(BOX);
    const [one, other] = [copyOf(box.file), mailboxFile(BOX)];
    const two = copyOf(box.file, one.url);
    await Promise.all([one.mirror.follow(), two.mirror.follow()]);
    const [name = ''] = /writ\d+/.exec(one.url) ?? [];
    const all = () =>
      server.psql(
        name,
        `SELECT * FROM writ_messages.messages ORDER BY id; SELECT * FROM writ_messages.agents ORDER BY id; SELECT seq FROM writ_messages.mirror;`,
      );
    const first = all();
    expect(first).toContain('Build plan');
    await two.mirror.follow();
    server.psql(name, `UPDATE writ_messages.mirror SET seq = 3`);
    await one.mirror.follow();
    expect(all()).toBe(first);
    await one.mirror.rebuild();
    expect(all()).toBe(first);
    const stranger = copyOf(other.file, one.url);
    await expect(stranger.mirror.follow()).rejects.toThrow('a copy of other messages');
    expect(all()).toBe(first);
    await Promise.all([one.close(), two.close(), stranger.close()]);
    box.remove();
    other.remove();
  });

  it('answers nothing while it lacks a change, takes what cannot be copied as it is, and ends statements that take too long', async () => {
    const box = mailboxFile(BOX);
    const copy = copyOf(box.file);
    const search = searchOver(box.file, { engines: { postgresql: copy.engine }, killSwitch: 'postgresql' });
    const engineOf = async (text: string) => (await search.search({ text, explain: true }, null)).explain?.engine;
    expect(await engineOf('plan')).toBe('fts5');
    await copy.mirror.follow();
    expect(await engineOf('plan')).toBe('postgresql');
    const [mail] = BOX.mails;
    if (mail === undefined) throw new Error('the mailbox is empty');
    const long = `${'x'.repeat(3000)} ${Array.from({ length: 20_000 }, (_, at) => `w${at}`).join(' ')}`;
    addMails(box.db, [{ ...mail, id: 900, subject: "it's \\ a\u0000b 'q'", body: long, thread_id: 't'.repeat(9000) }]);
    expect(await engineOf('plan')).toBe('fts5');
    await copy.mirror.follow();
    expect((await search.search({ text: 'w19999' }, null)).results.map(({ id }) => id)).toEqual([900]);
    expect(await engineOf('w19999')).toBe('postgresql');
    const hurried = copyOf(box.file, copy.url, 40);
    const late = await hurried.postgresql
      .transaction('read', (query) => query({ text: 'SELECT pg_sleep(60)', params: [] }))
      .catch((error: Error) => error.message);
    expect(late).toContain('statement timeout');
    const cut = hurried.postgresql.transaction('read', (query) => query({ text: 'SELECT pg_terminate_backend(pg_backend_pid())', params: [] }));
    await expect(cut).rejects.toThrow('terminating connection');
    expect(await hurried.postgresql.transaction('read', (query) => query({ text: 'SELECT ?::int', params: [7] }))).toEqual([[7]]);
    search.close();
    await Promise.all([hurried.close(), copy.close()]);
    box.remove();
  });

  it('has no newer version of its tables than it knows', async () => {
    const box = mailboxFile(BOX);
    const copy = copyOf(box.file);
    await copy.mirror.follow();
    const [name = ''] = /writ\d+/.exec(copy.url) ?? [];
    server.psql(name, 'INSERT INTO writ_messages.migrations VALUES (99)');
    const next = copyOf(box.file, copy.url);
    await expect(next.mirror.follow()).rejects.toThrow('has version 99');
    await Promise.all([next.close(), copy.close()]);
    box.remove();
  });
});
