import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ServedMail, serveArchive, serveDatabase } from './agent-mail-server.ts';
import { type ImportSite, importSite } from './import-site.ts';

let site: ImportSite;
beforeEach(() => {
  site = importSite();
});
afterEach(() => site[Symbol.dispose]());

const MAILS: readonly ServedMail[] = [
  { id: 11, subject: 'Plan', body: 'as it was' },
  { id: 12, subject: 'Build', body: 'green' },
  { id: 13, subject: 'Lunch', body: 'at noon' },
];
const subjects = (): readonly unknown[] => site.rows('SELECT subject FROM messages ORDER BY subject').flat();
const many = (count: number): readonly ServedMail[] => Array.from({ length: count }, (_, at) => ({ id: at + 1, subject: `Mail ${at + 1}`, body: 'x' }));

/** Both say all that there is; a run after the first takes over what was changed since. */
const SOURCES = { database: serveDatabase, archive: serveArchive };

describe.each(Object.entries(SOURCES))('a %s of agent mail that is imported again', (kind, serve) => {
  const place = (name = kind): string => join(site.directory, name);

  it('is followed: what was edited and deleted there is edited and deleted here, and what is as before is left', async () => {
    serve(place(), MAILS);
    expect((await site.run(place())).counts).toMatchObject({ inserted: expect.any(Number), deleted: 0, refused: 0 });
    expect(subjects()).toEqual(['Build', 'Lunch', 'Plan']);
    serve(place(), [{ id: 11, subject: 'Plan', body: 'as it is' }, ...MAILS.slice(2)]);
    expect((await site.run(place())).counts).toMatchObject({ inserted: 0, updated: 1, deleted: 1, refused: 0 });
    expect(site.rows('SELECT id, subject, body_md FROM messages ORDER BY id')).toEqual([
      [11, 'Plan', 'as it is'],
      [13, 'Lunch', 'at noon'],
    ]);
    expect((await site.run(place())).counts).toMatchObject({ inserted: 0, updated: 0, deleted: 0, refused: 0 });
  });

  it('brings back what was deleted there by mistake and is there again', async () => {
    serve(place(), MAILS);
    await site.run(place());
    serve(place(), MAILS.slice(1));
    await site.run(place());
    serve(place(), MAILS);
    expect((await site.run(place())).counts).toMatchObject({ inserted: 1, deleted: 0 });
    expect(subjects()).toEqual(['Build', 'Lunch', 'Plan']);
  });

  it('deletes nothing that another import tells of', async () => {
    serve(place(), MAILS);
    serve(place('copy'), MAILS);
    await site.run(place());
    expect((await site.run(place('copy'))).counts).toMatchObject({ inserted: 0 });
    serve(place(), MAILS.slice(1));
    expect((await site.run(place())).counts).toMatchObject({ deleted: 0 });
    serve(place('copy'), MAILS.slice(1));
    expect((await site.run(place('copy'))).counts).toMatchObject({ deleted: 1 });
    expect(subjects()).toEqual(['Build', 'Lunch']);
  });

  it('deletes only when all of it was read, in however many runs', async () => {
    serve(place(), many(620));
    expect(await site.run(place())).toMatchObject({ finished: true });
    serve(place(), many(620).slice(1));
    expect(await site.run(place(), {}, { most: 1 })).toMatchObject({ finished: false, counts: { deleted: 0 } });
    expect(site.rows('SELECT count(*) FROM messages')).toEqual([[620]]);
    expect(await site.run(place())).toMatchObject({ finished: true, counts: { inserted: 0, deleted: 1 } });
    expect(site.rows('SELECT min(id) FROM messages')).toEqual([[2]]);
  });

  it.each([
    ['stopped', { most: 2 }],
    ['given up by the writer', { stored: 1 }],
  ])('is not done when its last job, which deletes, is %s', async (_, through) => {
    serve(place(), MAILS);
    await site.run(place());
    serve(place(), MAILS.slice(1));
    const run = site.run(place(), {}, through);
    if ('most' in through) expect(await run).toMatchObject({ finished: false });
    else await expect(run).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    await site.run(place());
    expect(subjects()).toEqual(['Build', 'Lunch']);
  });

  it('keeps everything when there is no mail any more: that is rather the wrong place', async () => {
    serve(place(), MAILS);
    await site.run(place());
    serve(place(), []);
    const { counts, refusals } = await site.run(place());
    expect([counts.deleted, counts.refused, refusals]).toEqual([0, 1, [expect.stringContaining('has no message, so what it once had is kept')]]);
    expect(subjects()).toEqual(['Build', 'Lunch', 'Plan']);
  });
});

describe('agent mail', () => {
  it('is the same mail in a database and in its archive', async () => {
    serveDatabase(join(site.directory, 'storage.sqlite3'), [{ ...(MAILS[0] as ServedMail), read: '2026-11-20 09:00:00' }]);
    serveArchive(join(site.directory, 'archive'), MAILS);
    await site.run(join(site.directory, 'storage.sqlite3'));
    expect((await site.run(join(site.directory, 'archive'))).counts).toMatchObject({ refused: 0 });
    expect(subjects()).toEqual(['Build', 'Lunch', 'Plan']);
    // An archive does not tell who read what, so it takes nothing of it back.
    expect(site.rows('SELECT message_id, read_ts IS NOT NULL FROM message_recipients ORDER BY message_id')).toEqual([
      [11, 1],
      [12, 0],
      [13, 0],
    ]);
  });

  it('that was read and acknowledged in the meantime is so here', async () => {
    const file = join(site.directory, 'storage.sqlite3');
    serveDatabase(file, MAILS);
    await site.run(file);
    serveDatabase(file, [{ ...(MAILS[0] as ServedMail), read: '2026-11-20 09:00:00', ack: '2026-11-20 09:00:01' }, ...MAILS.slice(1)]);
    expect((await site.run(file)).counts).toMatchObject({ inserted: 0, updated: 1, deleted: 0 });
    expect(site.rows('SELECT read_ts, ack_ts FROM message_recipients WHERE message_id = 11')).toEqual([
      [Date.UTC(2026, 10, 20, 9) * 1000, Date.UTC(2026, 10, 20, 9, 0, 1) * 1000],
    ]);
  });
});
