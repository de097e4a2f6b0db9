import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigSchema } from '../../../config/schema.ts';
import { openMessageIngest, openMessageSearch } from '../../../src/bin/messages.ts';
import { SearchMessagesOutput, SearchQuery, SearchResponse } from '../../../src/contracts/index.ts';
import type { SearchViewer } from '../../../src/core/ports/message-search.ts';
import { dataDirPaths } from '../../../src/data-dir/paths.ts';
import { createPostgresqlEngine } from '../../../src/messages/engines/postgresql/engine.ts';
import { createPostgresqlMirror } from '../../../src/messages/engines/postgresql/mirror.ts';
import { createServers } from '../../../src/messages/engines/postgresql/servers.ts';
import { createTokens } from '../../../src/messages/engines/postgresql/tokens.ts';
import { createCopiedSearch } from '../../../src/messages/serving/copied-search.ts';
import { createMessageSearch } from '../../../src/messages/serving/message-search.ts';
import { standardOfStore } from '../../../src/messages/serving/postgresql.ts';
import { readOnlyGateway } from '../../../src/messages/serving/read-only.ts';
import { listProjectsAndProducts } from '../../../src/messages/store/list-projects.ts';
import { productNamed, projectNamed } from '../../../src/messages/store/named-projects.ts';
import { createMessagesReader } from '../../../src/messages/store/reader.ts';
import { callMcp } from '../../../src/surfaces/http/routes/mcp.ts';
import { submitMessages } from '../../../src/surfaces/http/routes/message-ingest.ts';
import { searchMessages } from '../../../src/surfaces/http/routes/message-search.ts';
import { commandLine, lastJson } from '../../support/command-line.ts';
import { type Mailbox, mailboxFile } from '../../support/mailbox.ts';
import { randomMailbox } from '../../support/mailbox-random.ts';
import { READERS } from '../../support/mailbox-readers.ts';
import { BOX } from '../../support/mailbox-small.ts';
import { message } from '../../support/messages/samples.ts';
import { patient } from '../../support/patience.ts';
import { postgresqlAt, startPostgresql, type TestPostgresql } from '../../support/postgresql.ts';
import { createRandom } from '../../support/random.ts';
import { removeTree } from '../../support/remove-tree.ts';
import { searchOver } from '../../support/search-service.ts';
import { toldBy } from '../../unit/surfaces/mcp/mcp-rig.ts';
import { startSite } from '../surfaces/http/core-site.ts';

let server: TestPostgresql;
beforeAll(async () => {
  server = await startPostgresql();
});
afterAll(() => server[Symbol.asyncDispose]());

/** The host `one` has the store and writes, `two` has nothing but the database. */
async function hostsOf(box: Mailbox = BOX) {
  const url = server.database();
  const { file, db, remove } = mailboxFile(box);
  const reader = createMessagesReader(file);
  const postgresql = postgresqlAt(url);
  const mirrorWith = (more: Partial<Parameters<typeof createPostgresqlMirror>[0]> = {}) =>
    createPostgresqlMirror({ postgresql, db: reader.database(), emit: () => undefined, writer: 'mail.example', ...more });
  const servers = createServers({ primary: postgresql, replicas: [], standard: standardOfStore(reader.database), elapsed: () => performance.now() });
  const engine = createPostgresqlEngine({ servers, tokens: createTokens() });
  const one = searchOver(file, { engines: { postgresql: engine }, killSwitch: 'postgresql', now: Date.now });
  const two = createCopiedSearch({ url, passwordFile: '', replicas: [] }, () => undefined);
  return {
    url,
    name: /writ\d+/.exec(url)?.[0] ?? '',
    file,
    db,
    mirrorWith,
    one,
    two,
    async close() {
      one.close();
      reader.close();
      await Promise.all([postgresql.close(), two.close()]);
      remove();
    },
  };
}

/** An answer without how long it took, and without what FTS5 says where PostgreSQL has answered. */
function told(answer: SearchResponse): object {
  const { timing: _, notes = [], ...explain } = answer.explain ?? {};
  return { ...answer, explain: { ...explain, notes: notes.filter((note) => !note.startsWith('invalid_query: fts5:')) } };
}

/** Processes of this one that search. */
function searchProcesses(): readonly number[] {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim().split(' ').map(Number);
  const found = children.filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('search-thread'));
  expect(found).toHaveLength(1);
  return found;
}

const query = (fields: object): SearchQuery => SearchQuery.parse({ explain: true, snippets: true, facets: true, ...fields });

function readersOf(box: Mailbox, seed: number): readonly SearchViewer[] {
  const random = createRandom(seed);
  return [null, ...Object.values(READERS).map((reader) => reader(random.pick(box.agents), box))];
}

describe('a host without a store', () => {
  it('tells every reader what the host with the store tells them: mail, recipients, counts, facets, excerpts and cursors', async () => {
    const box = randomMailbox(createRandom(77), 80);
    const hosts = await hostsOf(box);
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
    const hosts = await hostsOf();
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
    const hosts = await hostsOf();
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
    const hosts = await hostsOf();
    await hosts.mirrorWith().follow();
    const counted = (table: string, mode: string): string =>
      server.psql(hosts.name, `SET ROLE writ; SET writ.mode = '${mode}'; SELECT count(*) FROM writ_messages.${table};`).trim();
    expect(['', 'read', 'resolve', 'seal'].map((mode) => counted('cursor_keys', mode))).toEqual(['0', '0', '0', '1']);
    expect(['', 'read', 'seal', 'resolve'].map((mode) => counted('products', mode))).toEqual(['0', '0', '0', '1']);
    expect(counted('messages', 'seal')).toBe('0');
    await hosts.close();
  });

  it('answers nothing from a copy that was never whole, and says so; a step that was cut off is gone on with', async () => {
    const hosts = await hostsOf();
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
    const hosts = await hostsOf();
    await hosts.mirrorWith().follow();
    const away = createCopiedSearch({ url: hosts.url.replace(/host=[^&]*/, 'host=/nonexistent'), passwordFile: '', replicas: [hosts.url] }, () => undefined);
    expect(await away.search(query({ text: 'plan' }), null)).toMatchObject({
      results: [],
      explain: { method: 'empty' },
      diagnostics: { fallback_mode: 'engine_error' },
    });
    expect(await away.project('app', null)).toMatchObject({ ok: false });
    const beside = createCopiedSearch({ url: hosts.url, passwordFile: '', replicas: [hosts.url] }, () => undefined);
    expect((await beside.search(query({ text: 'plan' }), null)).explain?.notes).toEqual(['answered by the replica 1 of PostgreSQL']);
    await Promise.all([away.close(), beside.close(), hosts.close()]);
  });

  it('searches in processes of its own without any file, and goes on after its connections were cut and after it was killed', async () => {
    const hosts = await hostsOf();
    await hosts.mirrorWith().follow();
    const directory = mkdtempSync(path.join(tmpdir(), 'writ-no-store-'));
    const target = { url: hosts.url, passwordFile: '', replicas: [] };
    const search = createMessageSearch({
      file: path.join(directory, 'messages.sqlite'),
      readOnly: true,
      postgresql: target,
      killSwitch: 'postgresql',
      processes: 1,
      deadlineMs: patient(5000),
    });
    const first = await search.search(query({ text: 'plan', mode: 'hybrid' }), null);
    expect(first).toMatchObject({ results: { length: 5 }, explain: { engine: 'postgresql', mode_downgraded: true } });
    expect(first.explain?.downgrade_reason).toContain('hybrid: this host has no store of messages');
    server.psql(hosts.name, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'writ' AND datname = current_database()`);
    expect((await search.search(query({ text: 'plan' }), null)).results).toHaveLength(5);
    for (const pid of searchProcesses()) process.kill(pid, 'SIGKILL');
    const again = await search.search(query({ text: 'plan' }), null);
    expect([0, 5]).toContain(again.results.length);
    expect((await search.search(query({ text: 'plan' }), null)).results).toHaveLength(5);
    await search.stop();
    rmSync(directory, { recursive: true });
    await hosts.close();
  });

  it('is the same over HTTP, MCP and on the command line for the keys of three agents, and refuses what is sent', async () => {
    const hosts = await hostsOf();
    await hosts.mirrorWith().follow();
    const home = mkdtempSync(path.join(tmpdir(), 'writ-no-store-'));
    const messages = { read_only: true, engine: 'postgresql', postgresql_url: hosts.url, search_deadline_ms: patient(5000) } as const;
    const config = ConfigSchema.parse({ messages });
    const places = dataDirPaths(path.join(home, 'data'));
    mkdirSync(places.dataDir, { recursive: true, mode: 0o700 });
    const lines = Object.entries(messages).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
    writeFileSync(places.configFile, `[log]\nlevel = "silent"\n[messages]\n${lines.join('\n')}\n`, { mode: 0o600 });
    const search = openMessageSearch({ config, places });
    await search.start();
    const gateway = readOnlyGateway({ url: hosts.url, passwordFile: '', replicas: [] });
    const site = await startSite({ routes: [callMcp, searchMessages, submitMessages], services: { messageSearch: search, messages: gateway } });
    const writ = (...args: string[]) => commandLine(['--data-dir', places.dataDir, ...args]);
    for (const agent of ['Ada', 'Bob', 'Eve']) {
      const grant = { agent, projects: null };
      const wanted = (await hosts.one.search(query({ text: 'plan', limit: 50 }), { grant })).results.map(({ id }) => id).sort();
      const { secret } = await site.keys.create({ name: agent, roles: ['search'], grant });
      const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
      const reply = await site.fetch('/v1/messages/search', { method: 'POST', headers, body: JSON.stringify({ text: 'plan', limit: 50, explain: true }) });
      const answer = SearchResponse.parse(await reply.json());
      expect({ agent, ids: answer.results.map(({ id }) => id).sort() }).toEqual({ agent, ids: wanted });
      expect(answer.explain).toMatchObject({ engine: 'postgresql', denied_count: 0, mode_downgraded: false });
      const client = new Client({ name: 'test', version: '1' });
      await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', site.url), { requestInit: { headers } }));
      const found: number[] = [];
      for (const project_key of ['app', 'web', 'ops', 'none']) {
        const { isError, answer: told } = toldBy(await client.callTool({ name: 'search_messages', arguments: { query: 'plan', project_key, limit: 50 } }));
        if (isError) expect(told).toMatchObject({ code: 'NOT_FOUND' });
        else found.push(...SearchMessagesOutput.parse(told).result.map(({ id }) => id));
      }
      await client.close();
      // A contact's project is not open to a reader, so that MCP does not take its name.
      expect({ agent, ids: found.filter((id) => !wanted.includes(id)) }).toEqual({ agent, ids: [] });
      expect(found.length).toBeGreaterThan(0);
      const file = path.join(home, `${agent}.key`);
      expect(await writ('key', 'create', agent, '--roles', 'search', '--agent', agent, '--out', file)).toMatchObject({ code: 0 });
      const said = SearchResponse.parse(lastJson(await writ('--json', 'messages', 'search', 'plan', '--limit', '50', '--key', file)));
      expect({ agent, ids: said.results.map(({ id }) => id).sort() }).toEqual({ agent, ids: wanted });
    }
    const sent = await site.fetch('/v1/messages', {
      method: 'POST',
      headers: { authorization: `Bearer ${site.secrets.all}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ops: [message({ key: 'a' })] }),
    });
    expect([sent.status, await sent.text()]).toEqual([409, expect.stringContaining('the host mail.example, which writes them')]);
    await site.server.stop();
    await search.stop();
    removeTree(home);
    await hosts.close();
  });

  it('takes no messages in, and names the host that does', async () => {
    const hosts = await hostsOf();
    const target = { url: hosts.url, passwordFile: '', replicas: [] };
    const messages = { read_only: true, engine: 'postgresql', postgresql_url: hosts.url };
    await expect(readOnlyGateway(target).submit([])).rejects.toMatchObject({
      code: 'WRONG_STATE',
      message: expect.stringContaining('does not say now which that is'),
    });
    await hosts.mirrorWith().follow();
    const refusal = {
      code: 'WRONG_STATE',
      message: 'this host takes no messages in (messages.read_only): send them to the host mail.example, which writes them',
    };
    await expect(readOnlyGateway(target).submit([])).rejects.toMatchObject(refusal);
    const config = ConfigSchema.parse({ messages });
    await expect(openMessageIngest({ loaded: { config } } as never, undefined as never)).rejects.toMatchObject(refusal);
    expect(ConfigSchema.safeParse({ messages: { ...messages, engine: 'fts5' } }).error?.issues).toMatchObject([{ path: ['messages', 'read_only'] }]);
    await hosts.close();
  });
});
