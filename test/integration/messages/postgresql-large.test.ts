import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migratePostgresql } from '../../../src/adapters/postgresql/migrate.ts';
import { SCHEMA } from '../../../src/messages/engines/postgresql/schema.ts';
import { createPositionReader } from '../../../src/messages/store/position.ts';
import { addMails, removeMails } from '../../support/mailbox.ts';
import { BOX } from '../../support/mailbox-small.ts';
import { postgresqlAt, startPostgresql, type TestPostgresql } from '../../support/postgresql.ts';
import { createRandom } from '../../support/random.ts';
import { hostsOf, query } from './postgresql-hosts-rig.ts';

let server: TestPostgresql;
beforeAll(async () => {
  server = await startPostgresql();
});
afterAll(() => server[Symbol.asyncDispose]());

const MIGRATIONS = new URL('../../../src/messages/engines/postgresql/sql/', import.meta.url);
/** What the copy says that it has, and what it has. */
const COUNTS = `SELECT messages || ' ' || words FROM ${SCHEMA}.mirror; SELECT count(*) || ' ' || coalesce(sum(word_count), 0) FROM ${SCHEMA}.messages;`;

async function copied() {
  const hosts = await hostsOf(server);
  await hosts.mirrorWith().follow();
  const counts = (): string[] => server.psql(hosts.name, COUNTS).trim().split('\n');
  return { ...hosts, counts };
}

describe('a copy that is too large to be read for each search', () => {
  it('is asked by its indexes: for an operator nothing is left of row-level security, for a reader it is what finds the rows', async () => {
    const { name, close } = await copied();
    const plan = (settings: string, condition: string): string =>
      server.psql(
        name,
        `SET ROLE writ; SET search_path = ${SCHEMA}, public; SET enable_seqscan = off; SET writ.mode = 'read'; ${settings}
         EXPLAIN SELECT id FROM messages m WHERE ${condition};`,
      );
    const operator = `SET writ.projects = 'all'; SET writ.viewers = '0';`;
    const word = `words @@ 'plan'::tsquery`;
    const part = `(lower(subject COLLATE "C") LIKE '%buil%' OR lower(body_md COLLATE "C") LIKE '%buil%')`;
    expect(plan(operator, word)).toContain('Bitmap Index Scan on messages_words');
    expect(plan(operator, part)).toContain('Bitmap Index Scan on messages_substrings');
    expect(plan(operator, word)).not.toContain('said');
    const reader = `SET writ.projects = 'all'; SET writ.viewers = '1'; SET writ.agents_1 = '{4}'; SET writ.closed = '{}';`;
    const found = plan(reader, word);
    for (const index of ['messages_sender', 'messages_recipients', 'messages_bcc', 'messages_project']) expect(found).toContain(index);
    expect(found).not.toContain('messages_words');
    expect(plan(`SET writ.projects = '{1}'; SET writ.viewers = '0';`, word)).toContain('messages_project');
    await close();
  });

  it('has no statement compiled, which takes longer than most statements run', async () => {
    const postgresql = postgresqlAt(server.database());
    expect(await postgresql.transaction('read', (run) => run({ text: 'SHOW jit', params: [] }))).toEqual([['off']]);
    await postgresql.close();
  });

  it('knows how many messages and words it has, whatever was added, edited, taken away, begun anew', async () => {
    const { db, mirrorWith, counts, close } = await copied();
    const random = createRandom(31);
    const [mail] = BOX.mails;
    if (mail === undefined) throw new Error('the mailbox is empty');
    for (let round = 0; round < 12; round += 1) {
      const id = 100 + random.integer(9);
      removeMails(db, [id]);
      if (random.chance(0.8)) addMails(db, [{ ...mail, id, body: Array.from({ length: random.integer(30) }, (_, at) => `word${at}`).join(' ') }]);
      if (random.chance(0.5)) db.prepare('UPDATE messages SET body_md = ? WHERE id = ?').run('another text', 100 + random.integer(9));
      const mirror = mirrorWith({ batch: 1 + random.integer(3) });
      await (random.chance(0.2) ? mirror.rebuild() : mirror.follow());
      const [said, had] = counts();
      expect([round, said]).toEqual([round, had]);
    }
    await close();
  });

  it('is upgraded with the messages that are in it, and answers as the store does', async () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'writ-pg-before-'));
    const names = readdirSync(MIGRATIONS).filter((one) => one < '004');
    for (const one of names) cpSync(fileURLToPath(new URL(one, MIGRATIONS)), path.join(directory, one));
    const hosts = await hostsOf(server);
    const postgresql = postgresqlAt(hosts.url);
    await postgresql.transaction('write', (run) => migratePostgresql(run, SCHEMA, pathToFileURL(`${directory}/`)));
    // As the version before would have left it after its first step: two messages of another text, and who has sent them.
    server.psql(
      hosts.name,
      `SET search_path = ${SCHEMA}; INSERT INTO messages (id, project_id, sender_id, thread_id, subject, body_md, importance, ack_required, created_ts,
        recipients, cc, bcc, words, word_count)
       SELECT id, 1, 1, NULL, 'old', 'older text', 'normal', false, id, '{}', '{}', '{}', '''older'':1B', 2 FROM generate_series(1, 2) id;
       INSERT INTO mirror (store, seq, places, version) VALUES ('${createPositionReader(hosts.db)().store}', 0, '', 0);`,
    );
    const before = await hosts.two.search(query({ text: 'plan' }), null);
    expect(before.results).toEqual([]);
    await hosts.mirrorWith({ batch: 2 }).follow();
    const [said, had] = server.psql(hosts.name, COUNTS).trim().split('\n');
    expect(said).toBe(had);
    const [one, two] = [await hosts.one.search(query({ text: 'plan' }), null), await hosts.two.search(query({ text: 'plan' }), null)];
    expect(one.explain?.engine).toBe('postgresql');
    expect(one.results).toHaveLength(5);
    expect(two.results).toEqual(one.results);
    await postgresql.close();
    await hosts.close();
    rmSync(directory, { recursive: true });
  });
});
