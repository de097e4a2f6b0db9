import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SearchResponse } from '../../../src/contracts/index.ts';
import type { SearchViewer } from '../../../src/core/ports/message-search.ts';
import { createCopiedSearch } from '../../../src/messages/serving/copied-search.ts';
import { listProjectsAndProducts } from '../../../src/messages/store/list-projects.ts';
import { productNamed, projectNamed } from '../../../src/messages/store/named-projects.ts';
import type { Mailbox } from '../../support/mailbox.ts';
import { randomMailbox } from '../../support/mailbox-random.ts';
import { READERS } from '../../support/mailbox-readers.ts';
import { BOX } from '../../support/mailbox-small.ts';
import { startPostgresql, type TestPostgresql } from '../../support/postgresql.ts';
import { createRandom } from '../../support/random.ts';
import { hostsOf, query } from './postgresql-hosts-rig.ts';

let server: TestPostgresql;
beforeAll(async () => {
  server = await startPostgresql();
});
afterAll(() => server[Symbol.asyncDispose]());

/** An answer without how long it took, and without what FTS5 says where PostgreSQL has answered. */
function told(answer: SearchResponse): object {
  const { timing: _, notes = [], ...explain } = answer.explain ?? {};
  return { ...answer, explain: { ...explain, notes: notes.filter((note) => !note.startsWith('invalid_query: fts5:')) } };
}

function readersOf(box: Mailbox, seed: number): readonly SearchViewer[] {
  const random = createRandom(seed);
  return [null, ...Object.values(READERS).map((reader) => reader(random.pick(box.agents), box))];
}

describe('a host without a store', () => {
  it('tells every reader what the host with the store tells them: mail, recipients, counts, facets, excerpts and cursors', async () => {
    const box = randomMailbox(createRandom(77), 80);
    const hosts = await hostsOf(server, box);
    await hosts.mirrorWith().follow();
    for (const viewer of readersOf(box, 5)) {
      for (const fields of [
        { text: 'plan' },
        { text: 'plan OR build OR note', limit: 3 },
        { text: '"build plan"', ranking: 'recency' },
        { text: 'lan, buil' },
      ]) {
        const [wanted, found] = [await hosts.one.search(query(fields), viewer), await hosts.two.search(query(fields), viewer)];
        expect({ viewer, fields, answer: told(found) }).toEqual({ viewer, fields, answer: told(wanted) });
        expect(wanted.explain?.engine).toBe('postgresql');
      }
    }
    await hosts.close();
  });

  it("goes on with the other host's pages, and with nobody's but the reader's own", async () => {
    const hosts = await hostsOf(server);
    await hosts.mirrorWith().follow();
    const ada: SearchViewer = { grant: { agent: 'Ada', projects: null } };
    const ids = ({ results }: SearchResponse): readonly number[] => results.map(({ id }) => id);
    const whole = ids(await hosts.one.search(query({ text: 'plan', limit: 50 }), ada));
    expect(whole.length).toBeGreaterThan(2);
    const pages: number[] = [];
    for (let [cursor, turn] = [undefined as string | undefined, 0]; turn === 0 || cursor !== undefined; turn += 1) {
      const host = turn % 2 === 0 ? hosts.one : hosts.two;
      const page = await host.search(query({ text: 'plan', limit: 1, cursor }), ada);
      pages.push(...ids(page));
      cursor = page.next_cursor;
      // Of somebody else, or made up, it names no place.
      for (const made of cursor === undefined ? [] : [cursor, cursor.replace(/.$/, (last) => (last === '0' ? '1' : '0'))]) {
        const stranger = await hosts.two.search(
          query({ text: 'plan', limit: 1, cursor: made }),
          made === cursor ? { grant: { agent: 'Eve', projects: null } } : ada,
        );
        expect(stranger.explain?.notes).toContain('the cursor was not made for this reader: this is the first page');
      }
    }
    expect(pages).toEqual(whole);
    // SQLite made this one on the host with the store, where the copy was behind.
    const ofSqlite = await hosts.two.search(query({ text: 'plan', limit: 1, cursor: 's3ff0000000000000:i1:efts5' }), null);
    expect(ofSqlite).toMatchObject({ results: [{}], explain: { engine: 'postgresql', cursor_invalidated: true } });
    await hosts.close();
  });

  it('finds projects and products by their names as the store does, of what is open to a reader', async () => {
    const hosts = await hostsOf(server);
    await hosts.mirrorWith().follow();
    for (const viewer of [...readersOf(BOX, 8), { grant: { agent: 'eve', projects: null } }, { grant: { agent: null, projects: ['ops'] } }]) {
      for (const key of ['app', '/srv/web', '3', 'Suite', 'uid-1', '1', 'none', "x' OR true --"]) {
        expect(await hosts.two.project(key, viewer)).toEqual({ ok: true, value: projectNamed(hosts.db, key, viewer) });
        expect(await hosts.two.product(key, viewer)).toEqual({ ok: true, value: productNamed(hosts.db, key, viewer) });
      }
      expect(await hosts.two.places(viewer)).toEqual(listProjectsAndProducts(hosts.file, viewer));
    }
    await hosts.close();
  });

  it('has keys and products behind row-level security, and no key where mail is read', async () => {
    const hosts = await hostsOf(server);
    await hosts.mirrorWith().follow();
    const counted = (table: string, mode: string): string =>
      server.psql(hosts.name, `SET ROLE writ; SET writ.mode = '${mode}'; SELECT count(*) FROM writ_messages.${table};`).trim();
    expect(['', 'read', 'resolve', 'seal'].map((mode) => counted('cursor_keys', mode))).toEqual(['0', '0', '0', '1']);
    expect(['', 'read', 'seal', 'resolve'].map((mode) => counted('products', mode))).toEqual(['0', '0', '0', '1']);
    expect(counted('messages', 'seal')).toBe('0');
    await hosts.close();
  });

  it('answers nothing from a copy that was never whole, and says so; a step that was cut off is gone on with', async () => {
    const hosts = await hostsOf(server);
    const nothing = await hosts.two.search(query({ text: 'plan' }), null);
    expect(nothing).toMatchObject({ results: [], diagnostics: { degraded: true, search_index_reason: 'there is no copy in PostgreSQL yet' } });
    const cut = hosts.mirrorWith({
      batch: 2,
      emit() {
        throw new Error('ended here');
      },
    });
    await expect(cut.follow()).rejects.toThrow('ended here');
    const partial = await hosts.two.search(query({ text: 'plan' }), null);
    expect(partial).toMatchObject({
      results: [],
      diagnostics: { search_index_state: 'not_ready', search_index_reason: 'the copy in PostgreSQL is still being made' },
    });
    await hosts.mirrorWith().follow();
    expect((await hosts.two.search(query({ text: 'plan' }), null)).results).toHaveLength(5);
    server.psql(hosts.name, 'ALTER TABLE writ_messages.mirror DROP COLUMN writer');
    expect((await hosts.two.search(query({ text: 'plan' }), null)).diagnostics?.search_index_reason).toContain('an older version of Writ');
    await hosts.close();
  });

  it('asks no replica where the primary is away, since nobody knows what it lacks', async () => {
    const hosts = await hostsOf(server);
    await hosts.mirrorWith().follow();
    const events: object[] = [];
    const database = { url: hosts.url.replace(/host=[^&]*/, 'host=/nonexistent'), passwordFile: '', replicas: [hosts.url] };
    const away = createCopiedSearch(database, (event) => events.push(event));
    const answer = await away.search(query({ text: 'plan' }), null);
    expect(answer).toMatchObject({ results: [], explain: { method: 'empty' }, diagnostics: { fallback_mode: 'engine_error' } });
    // Where the database is, is for the log and for nobody who searches.
    expect(JSON.stringify(answer)).not.toContain('nonexistent');
    expect(events).toContainEqual(
      expect.objectContaining({ event: 'search.database', server: 'primary', found: 'away', message: expect.stringContaining('nonexistent') }),
    );
    expect(await away.project('app', null)).toMatchObject({ ok: false });
    const beside = createCopiedSearch({ url: hosts.url, passwordFile: '', replicas: [hosts.url] }, () => undefined);
    expect((await beside.search(query({ text: 'plan' }), null)).explain?.notes).toEqual(['answered by the replica 1 of PostgreSQL']);
    await Promise.all([away.close(), beside.close(), hosts.close()]);
  });
});
