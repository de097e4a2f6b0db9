import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCHEMA } from '../../../src/messages/engines/postgresql/schema.ts';
import type { Mail } from '../../support/mailbox.ts';
import { BOX } from '../../support/mailbox-small.ts';
import { startPostgresql, type TestPostgresql } from '../../support/postgresql.ts';
import { searchOver } from '../../support/search-service.ts';
import { hostsOf, query } from './postgresql-hosts-rig.ts';

let server: TestPostgresql;
beforeAll(async () => {
  server = await startPostgresql();
});
afterAll(() => server[Symbol.asyncDispose]());

const [SAMPLE] = BOX.mails as readonly [Mail];
const mail = (id: number, body: string): Mail => ({ ...SAMPLE, id, body });
const OFTEN = 'create x '.repeat(300);
const LONG = Array.from({ length: 16_400 }, (_, at) => `w${at}`).join(' ');
/** The phrase stands behind what PostgreSQL keeps of places, or nowhere. */
const CUT = [mail(900, `${OFTEN} create message`), mail(901, `${OFTEN} message`), mail(902, `${LONG} create message`)];
const WHOLE = [mail(903, 'create message'), mail(904, 'message create')];

const TEXTS = [
  '"create message"',
  'create-message',
  'create + message',
  'create/message',
  '"create mess"*',
  'plan NOT "create message"',
  'body:"create message"',
];

describe('phrases in texts of which PostgreSQL does not keep every place', () => {
  it('are found as FTS5 finds them, which is asked where PostgreSQL cannot say it', async () => {
    const hosts = await hostsOf(server, { ...BOX, mails: [...BOX.mails, ...CUT, ...WHOLE] });
    await hosts.mirrorWith().follow();
    const fts5 = searchOver(hosts.file);
    for (const text of TEXTS) {
      const asked = query({ text, retry: false, limit: 100 });
      const [found, expected] = [await hosts.one.search(asked, null), await fts5.search(asked, null)];
      expect({ text, ids: found.results.map(({ id }) => id) }).toEqual({ text, ids: expected.results.map(({ id }) => id) });
      expect({ text, engine: found.explain?.engine, mode_downgraded: found.explain?.mode_downgraded }).toEqual({
        text,
        engine: 'fts5',
        mode_downgraded: false,
      });
      expect(found.explain?.notes?.join()).toContain('at more places than PostgreSQL keeps');
    }
    // No text has these in doubt.
    for (const text of ['create', '"build plan"', 'subject:"create message"']) {
      expect({ text, engine: (await hosts.one.search(query({ text, retry: false }), null)).explain?.engine }).toEqual({ text, engine: 'postgresql' });
    }
    // Without the store nobody else can be asked: then the answer says that it is another one.
    expect((await hosts.two.search(query({ text: '"create message"' }), null)).diagnostics).toMatchObject({ degraded: true, fallback_mode: 'like_fallback' });
    fts5.close();
    await hosts.close();
  });

  it('are known in a copy of before, too', async () => {
    const hosts = await hostsOf(server, { ...BOX, mails: [...BOX.mails, ...CUT, ...WHOLE] });
    await hosts.mirrorWith().follow();
    const cut = () => server.psql(hosts.name, `SELECT id FROM ${SCHEMA}.messages WHERE words @@ '''cut text'''::tsquery ORDER BY id;`).trim();
    expect(cut()).toBe('900\n901\n902');
    server.psql(hosts.name, `UPDATE ${SCHEMA}.messages SET words = ts_delete(words, 'cut text');`);
    expect(cut()).toBe('');
    const migration = readFileSync(new URL('../../../src/messages/engines/postgresql/sql/005_cut_texts.sql', import.meta.url), 'utf8');
    server.psql(hosts.name, `SET ROLE writ; SET search_path = ${SCHEMA}; BEGIN; ${migration} COMMIT;`);
    expect(cut()).toBe('900\n901\n902');
    await hosts.close();
  });
});

describe('a server that is away', () => {
  it('is told of without its address', async () => {
    const hosts = await hostsOf({ database: () => 'postgresql://writ@127.0.0.1:9/writ' });
    for (const viewer of [null, { project_id: 1, agent_id: 2 }]) {
      const answer = await hosts.one.search(query({ text: 'plan' }), viewer);
      expect(answer.explain?.downgrade_reason).toBe('postgresql: PostgreSQL cannot be reached (ECONNREFUSED)');
      expect(JSON.stringify([answer, await hosts.two.search(query({ text: 'plan' }), viewer)])).not.toContain('127.0.0.1');
    }
    await hosts.close();
  });
});
