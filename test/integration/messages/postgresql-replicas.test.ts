import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { SearchQuery } from '../../../src/contracts/index.ts';
import { type Check, examine } from '../../../src/core/findings.ts';
import type { SearchViewer } from '../../../src/core/ports/message-search.ts';
import { copyIn } from '../../../src/messages/engines/postgresql/copy.ts';
import { createPostgresqlEngine } from '../../../src/messages/engines/postgresql/engine.ts';
import { createPostgresqlMirror } from '../../../src/messages/engines/postgresql/mirror.ts';
import { createServers, type ServerEvent } from '../../../src/messages/engines/postgresql/servers.ts';
import { createTokens } from '../../../src/messages/engines/postgresql/tokens.ts';
import { engineRequestOf, planOf } from '../../../src/messages/search/planner.ts';
import { normalQuery } from '../../../src/messages/search/query.ts';
import { postgresqlProbes } from '../../../src/messages/serving/doctor-postgresql.ts';
import { standardOfStore } from '../../../src/messages/serving/postgresql.ts';
import { createMessagesReader } from '../../../src/messages/store/reader.ts';
import { addMails, type Mailbox, mailboxFile } from '../../support/mailbox.ts';
import { randomMailbox } from '../../support/mailbox-random.ts';
import { READERS } from '../../support/mailbox-readers.ts';
import { BOX } from '../../support/mailbox-small.ts';
import { PATIENCE, patient } from '../../support/patience.ts';
import { postgresqlAt, startPostgresql, type TestPostgresql, type TestReplica } from '../../support/postgresql.ts';
import { createRandom } from '../../support/random.ts';
import { searchOver } from '../../support/search-service.ts';

let server: TestPostgresql;
let replica: TestReplica;
beforeAll(async () => {
  server = await startPostgresql({ replicas: true });
  replica = await server.replica();
});
afterAll(() => server[Symbol.asyncDispose]());

const [, , , , FROM_MAX] = BOX.mails;
const ADA: SearchViewer = { project_id: 1, agent_id: 1 };
const NOTED = 'answered by the replica 1 of PostgreSQL';

/** A store, its copy, a search over primary and replica, and a clock of its own. */
async function rigOf(box: Mailbox = BOX, { statementMs = 60_000, promptMs = patient(2000) } = {}) {
  const url = server.database();
  const { file, db, remove } = mailboxFile(box);
  const reader = createMessagesReader(file);
  const primary = postgresqlAt(url);
  const follower = postgresqlAt(replica.at(url), statementMs, promptMs);
  const mirror = createPostgresqlMirror({ postgresql: primary, db: reader.database(), emit: () => undefined });
  const events: ServerEvent[] = [];
  const clock = { now: 0 };
  const servers = createServers({
    primary,
    replicas: [follower],
    standard: standardOfStore(reader.database),
    emit: (event) => events.push(event),
    elapsed: () => clock.now,
  });
  const engine = createPostgresqlEngine({ servers, tokens: createTokens() });
  const search = searchOver(file, { engines: { postgresql: engine }, killSwitch: 'postgresql' });
  const name = /writ\d+/.exec(url)?.[0] ?? '';
  const rig = {
    db,
    name,
    url,
    primary,
    mirror,
    servers,
    engine,
    events,
    clock,
    /** The replica has what the primary has. */
    async level(): Promise<void> {
      const wanted = await primary.transaction('read', copyIn);
      await vi.waitFor(async () => expect(await follower.transaction('read', copyIn)).toEqual(wanted), PATIENCE);
      clock.now += 10_000;
    },
    async ask(query: Partial<SearchQuery>, viewer: SearchViewer = null) {
      const answer = await search.search(SearchQuery.parse({ text: 'plan', explain: true, ...query }), viewer);
      const { engine: answered, notes = [] } = answer.explain ?? {};
      return { ids: answer.results.map(({ id }) => id), engine: answered, notes, diagnostics: answer.diagnostics, next_cursor: answer.next_cursor };
    },
    async close(): Promise<void> {
      search.close();
      reader.close();
      await Promise.all([primary.close(), follower.close()]);
      remove();
    },
  };
  await mirror.follow();
  await rig.level();
  return rig;
}

/** While the work runs nothing that is written arrives at the replica. */
async function held(name: string, work: () => Promise<void>): Promise<void> {
  replica.psql(name, 'SELECT pg_wal_replay_pause()');
  await vi.waitFor(() => expect(replica.psql(name, 'SELECT pg_get_wal_replay_pause_state()').trim()).toBe('paused'), PATIENCE);
  try {
    await work();
  } finally {
    replica.psql(name, 'SELECT pg_wal_replay_resume()');
  }
}

function newMail(id: number, subject: string) {
  const [mail] = BOX.mails;
  if (mail === undefined) throw new Error('the mailbox is empty');
  return { ...mail, id, subject };
}

describe('a replica of PostgreSQL', () => {
  it('answers while it has what the store has, and else the primary does, so that nothing that was seen is missed', async () => {
    const rig = await rigOf();
    const first = await rig.ask({});
    expect(first).toMatchObject({ ids: expect.arrayContaining([1, 5]), engine: 'postgresql', notes: [NOTED], diagnostics: undefined });
    await held(rig.name, async () => {
      addMails(rig.db, [newMail(900, 'plan of falcons')]);
      await rig.mirror.follow();
      expect(await rig.ask({ text: 'falcons' })).toMatchObject({
        ids: [900],
        engine: 'postgresql',
        notes: ['answered by the primary of PostgreSQL', 'replica 1 was not asked: it is behind: 1 change'],
      });
      // A reader could count hidden mail by it.
      rig.clock.now += 10_000;
      expect((await rig.ask({ text: 'falcons' }, ADA)).notes).toEqual(['answered by the primary of PostgreSQL', 'replica 1 was not asked: it is behind']);
      // Left for a while: nobody asks it meanwhile.
      const asked = rig.events.length;
      await rig.ask({ text: 'falcons' });
      expect(rig.events.slice(asked)).toEqual([{ event: 'search.database', server: 'primary', found: 'answered', behind: 0 }]);
      // The primary lacks it, too: SQLite has it.
      addMails(rig.db, [newMail(901, 'more falcons')]);
      const lacking = await rig.ask({ text: 'falcons' }, ADA);
      expect(lacking).toMatchObject({ ids: expect.arrayContaining([900, 901]), engine: 'fts5' });
      expect(lacking.diagnostics?.search_index_reason).toBe('the copy in PostgreSQL is behind');
      await rig.mirror.follow();
    });
    await rig.level();
    expect(await rig.ask({ text: 'falcons' })).toMatchObject({ ids: expect.arrayContaining([900, 901]), notes: [NOTED] });
    await rig.close();
  });

  it('shows nobody what was taken from them, on a further page neither, although the texts are the newest', async () => {
    const rig = await rigOf();
    expect((await rig.ask({}, ADA)).ids).toContain(FROM_MAX?.id);
    const [front] = [await rig.ask({ limit: 1 }, ADA)];
    await held(rig.name, async () => {
      rig.db.exec(`UPDATE agent_links SET status = 'blocked'`);
      // Not even copied yet.
      expect(await rig.ask({}, ADA)).toMatchObject({ engine: 'fts5', ids: expect.not.arrayContaining([FROM_MAX?.id]) });
      const further = await rig.ask({ limit: 50, cursor: front.next_cursor }, ADA);
      expect(further.ids).not.toContain(FROM_MAX?.id);
      await rig.mirror.follow();
      rig.clock.now += 10_000;
      expect(await rig.ask({}, ADA)).toMatchObject({
        engine: 'postgresql',
        notes: expect.not.arrayContaining([NOTED]),
        ids: expect.not.arrayContaining([FROM_MAX?.id]),
      });
    });
    await rig.level();
    expect(await rig.ask({}, ADA)).toMatchObject({ notes: [NOTED], ids: expect.not.arrayContaining([FROM_MAX?.id]) });
    await rig.close();
  });

  it('has the row-level security of the primary, and shows every reader what that one shows', async () => {
    const random = createRandom(31);
    const box = randomMailbox(random, 60);
    const rig = await rigOf(box);
    const counted = (settings: string): string => replica.psql(rig.name, `SET ROLE writ; ${settings} SELECT count(*) FROM writ_messages.messages;`).trim();
    expect([counted(''), counted(`SET writ.mode = 'read';`), counted(`SET writ.mode = 'write';`)]).toEqual(['0', '0', String(box.mails.length)]);
    const alone = createPostgresqlEngine({
      servers: createServers({
        primary: rig.primary,
        replicas: [],
        standard: { ofPrimary: () => undefined, ofReplicas: async () => () => undefined },
        elapsed: () => 0,
      }),
      tokens: createTokens(),
    });
    for (const viewer of [null, ...Object.values(READERS).map((reader) => reader(random.pick(box.agents), box))]) {
      for (const text of ['plan', 'plan OR build OR note', '"build plan"']) {
        const normal = normalQuery(SearchQuery.parse({ text, explain: true, facets: true, limit: 50 }));
        const plan = planOf(normal);
        if (plan.empty) throw new Error(text);
        const request = { ...engineRequestOf(normal, viewer, plan.match, 1_000_000_000), after: null, list: 0 };
        const [found, wanted] = [await rig.engine.find(request), await alone.find(request)];
        if (!found.ok || !wanted.ok) throw new Error(JSON.stringify([found, wanted]));
        expect(found.value).toEqual({ ...wanted.value, notes: [NOTED] });
      }
    }
    await rig.close();
  });

  it('that ends in the midst of a search is left, and the search is done anew by the next server', async () => {
    const rig = await rigOf();
    let times = 0;
    const found = await rig.servers.read({ isResuming: false, mayCount: true }, async (query) => {
      times += 1;
      if (times === 1) replica.psql('postgres', `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'writ'`);
      return query({ text: 'SELECT pg_is_in_recovery()', params: [] });
    });
    expect(found).toEqual({ ok: true, value: { value: [[false]], notes: ['answered by the primary of PostgreSQL', 'replica 1 was not asked: it is away'] } });
    expect(times).toBe(2);
    rig.clock.now += 10_000;
    expect((await rig.ask({})).notes).toEqual([NOTED]);
    await rig.close();
  });

  it('that is silent or slow is left, and only for a while', async () => {
    const rig = await rigOf(BOX, { statementMs: 200, promptMs: 400 });
    const sleep = { text: 'SELECT pg_sleep(60)', params: [] };
    await expect(rig.servers.read({ isResuming: false, mayCount: true }, (query) => query(sleep))).rejects.toThrow();
    expect(rig.events.at(-1)).toMatchObject({ server: 'replica_1', found: 'slow' });
    expect((await rig.ask({})).notes).toEqual(['answered by the primary of PostgreSQL', 'replica 1 was not asked: it was too slow']);
    replica.stop();
    rig.clock.now += 10_000;
    expect(await rig.ask({})).toMatchObject({ engine: 'postgresql', notes: ['answered by the primary of PostgreSQL', 'replica 1 was not asked: it is away'] });
    replica.goOn();
    await rig.close();
  });

  it('is told of by the doctor, with how far it is behind', async () => {
    const rig = await rigOf();
    const settings = { enabled: true, read_only: false, engine: 'postgresql', postgresql_url: rig.url, postgresql_password_file: '' };
    const nobody = rig.url.replace(/host=[^&]*/, 'host=/nonexistent');
    const look = (): Promise<Check[]> =>
      examine('', postgresqlProbes({ ...settings, postgresql_replicas: [replica.at(rig.url), rig.url, nobody] }, rig.db.name));
    expect((await look()).map(({ title, level, found }) => [title, level, found.replace(/ENOENT.*/, 'ENOENT')])).toEqual([
      ['PostgreSQL', 'ok', 'has everything'],
      ['Replica 1', 'ok', 'has everything'],
      ['Replica 2', 'fail', 'is no replica: nothing arrives there'],
      ['Replica 3', 'fail', 'connect ENOENT'],
    ]);
    await held(rig.name, async () => {
      addMails(rig.db, [newMail(900, 'plan of falcons')]);
      await rig.mirror.follow();
      addMails(rig.db, [newMail(901, 'more'), newMail(902, 'and more')]);
      const [primary, first] = await look();
      expect(primary).toMatchObject({ level: 'warn', found: '2 changes behind the store' });
      expect(first).toMatchObject({ level: 'warn', found: expect.stringMatching(/^1 change behind the primary, its newest change came \d+ s ago$/) });
    });
    expect(postgresqlProbes({ ...settings, engine: '', postgresql_replicas: [] }, rig.db.name)).toEqual([]);
    await rig.close();
  });

  it('answers on where the primary is away, and takes its place with nothing lost', async () => {
    const rig = await rigOf();
    const follower = postgresqlAt(replica.at(rig.url));
    const away = postgresqlAt(rig.url.replace(/host=[^&]*/, 'host=/nonexistent'));
    const reader = createMessagesReader(rig.db.name);
    const servers = createServers({ primary: away, replicas: [follower], standard: standardOfStore(reader.database), elapsed: () => 0 });
    const search = searchOver(rig.db.name, { engines: { postgresql: createPostgresqlEngine({ servers, tokens: createTokens() }) }, killSwitch: 'postgresql' });
    expect((await search.search({ text: 'plan', explain: true }, null)).explain).toMatchObject({ engine: 'postgresql', notes: [NOTED] });
    // What did not arrive is copied again.
    await held(rig.name, async () => {
      addMails(rig.db, [newMail(900, 'plan of falcons')]);
      await rig.mirror.follow();
      server.psql('postgres', `SELECT pg_terminate_backend(pid) FROM pg_stat_replication`);
    });
    replica.psql(rig.name, 'SELECT pg_promote()');
    const mirror = createPostgresqlMirror({ postgresql: follower, db: reader.database(), emit: () => undefined });
    await mirror.follow();
    expect((await search.search({ text: 'falcons', explain: true }, null)).results.map(({ id }) => id)).toEqual([900]);
    search.close();
    reader.close();
    await Promise.all([away.close(), follower.close(), rig.close()]);
  });
});
