import { EventEmitter, once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPostgresqlKeeper } from '../../../src/messages/engines/postgresql/keeper.ts';
import { SCHEMA } from '../../../src/messages/engines/postgresql/schema.ts';
import { addMails } from '../../support/mailbox.ts';
import { BOX } from '../../support/mailbox-small.ts';
import { killedAfter, MOMENTS } from '../../support/messages/killed.ts';
import { startPostgresql, type TestPostgresql } from '../../support/postgresql.ts';
import { hostsOf, query } from './postgresql-hosts-rig.ts';

let server: TestPostgresql;
beforeAll(async () => {
  server = await startPostgresql();
});
afterAll(() => server[Symbol.asyncDispose]());

/** Two hosts, how many messages of the store there are, and what the copy has and says that it has. */
async function rigOf() {
  const hosts = await hostsOf(server);
  const stored = hosts.db.prepare<[], number>('SELECT count(*) FROM messages').pluck();
  return {
    ...hosts,
    stored: () => stored.get() ?? 0,
    copied: () =>
      server
        .psql(
          hosts.name,
          `SELECT coalesce((SELECT messages || ' ' || words FROM ${SCHEMA}.mirror), '0 0');
           SELECT count(*) || ' ' || coalesce(sum(word_count), 0) FROM ${SCHEMA}.messages;`,
        )
        .trim()
        .split('\n'),
  };
}

describe('A copy whose mirror is killed', () => {
  it('while it follows or makes it anew, is that of some moment, and the next mirror brings it up to date', async () => {
    const { file, url, mirrorWith, stored, copied, one, two, close } = await rigOf();
    await mirrorWith().follow();
    for (const [work, afterMs] of MOMENTS) {
      await killedAfter('./mirror-child.ts', { file, url }, work, afterMs);
      const [said, had] = copied();
      expect(said).toBe(had);
      // What the copy lacks SQLite has.
      expect((await one.search(query({ text: 'plan', limit: 1 }), null)).explain?.matched_count).toBe(stored() - 1);
      await mirrorWith().follow();
      expect(copied()[0]).toBe(copied()[1]);
      for (const host of [one, two])
        expect((await host.search(query({ text: 'plan', limit: 1 }), null)).explain).toMatchObject({ engine: 'postgresql', matched_count: stored() - 1 });
    }
    await close();
  });
});

describe('A server that is killed', () => {
  it('loses nothing that was copied; searches are answered by SQLite meanwhile, and the mirror goes on by itself when it is back', async () => {
    const { file, db, url, stored, copied, one, two, close } = await rigOf();
    const told = new EventEmitter();
    const failures: string[] = [];
    const keeper = createPostgresqlKeeper({
      file,
      target: { url, passwordFile: '' },
      onEvent: ({ event }) => void told.emit(event),
      onFailed: (why) => void told.emit('failed', failures.push(why)),
    });
    const level = once(told, 'index.incremental.batch');
    await keeper.start();
    await level;
    const answer = async () => (await one.search(query({ text: 'plan' }), null)).explain;
    expect(await answer()).toMatchObject({ engine: 'postgresql', mode_downgraded: false });
    await server.kill();
    const failed = once(told, 'failed');
    const [mail] = BOX.mails;
    if (mail === undefined) throw new Error('the mailbox is empty');
    addMails(db, [{ ...mail, id: 900 }]);
    keeper.follow();
    await failed;
    expect(await answer()).toMatchObject({ engine: 'fts5', mode_downgraded: true });
    expect(await two.search(query({ text: 'plan' }), null)).toMatchObject({ results: [], explain: { mode_downgraded: true } });
    // Nobody writes any more.
    const copiedAgain = once(told, 'index.incremental.batch');
    await server.restart();
    await copiedAgain;
    expect(copied()).toEqual([copied()[1], copied()[1]]);
    expect(copied()[0]).toMatch(new RegExp(`^${stored()} `));
    await keeper.stop();
    await close();
  });
});
