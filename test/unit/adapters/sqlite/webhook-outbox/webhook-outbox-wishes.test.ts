import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Sqlite } from '../../../../../src/adapters/sqlite/driver.ts';
import { outboxIn } from '../../../../support/webhooks.ts';

const LATE = 1_000_000;
const SQL = new URL('../../../../../src/adapters/sqlite/sql/webhook-outbox/', import.meta.url);

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'writ-wishes-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

function noticeOf(taskId: string) {
  return { id: `id-${taskId}`, endpoint: 'crm', taskId, capabilityId: 'FILE_MOVE', at: 5, body: 'x' };
}

const wishesOf = (...subjects: readonly string[]) => subjects.map((subject) => ({ subject, manifestSha256: `of ${subject}` }));

describe('wishes of the outbox', () => {
  it('are refused when as many tasks are wanted that were not told, and nothing of the refused ones is written', async () => {
    const outbox = await outboxIn(directory, { maxNotices: 3 });
    await outbox.want(wishesOf('a', 'b'), ['crm'], LATE);
    await expect(outbox.want(wishesOf('c', 'd'), ['crm'], LATE)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    // Wished once more it is the same wish.
    await outbox.want(wishesOf('a', 'b', 'c'), ['crm'], LATE + 1);
    expect([...(await outbox.wantedBy(['a', 'b', 'c', 'd']))].map(([, endpoints]) => endpoints.length)).toEqual([1, 1, 1, 0]);
    await outbox.stop();
  });

  it('whose task was told make room, the oldest of them first', async () => {
    const outbox = await outboxIn(directory, { maxNotices: 3 });
    await outbox.want(wishesOf('b'), ['crm'], LATE + 1);
    await outbox.want(wishesOf('a', 'c'), ['crm'], LATE);
    await outbox.add([noticeOf('a'), noticeOf('b')], { event: undefined, seenAt: 0 }, 1);
    await outbox.want(wishesOf('d'), ['crm'], LATE);
    expect([...(await outbox.wantedBy(['a', 'b', 'c', 'd']))].map(([, endpoints]) => endpoints.length)).toEqual([0, 1, 1, 1]);
    await outbox.stop();
  });

  it('of a task of which a notice is there already make room as well', async () => {
    const outbox = await outboxIn(directory, { maxNotices: 2 });
    await outbox.add([noticeOf('a')], { event: undefined, seenAt: 3 }, 1);
    await outbox.want(wishesOf('a', 'b'), ['crm'], LATE);
    expect(await outbox.add([noticeOf('a')], undefined, 1)).toEqual({ added: 0, dropped: 0 });
    await outbox.want(wishesOf('c'), ['crm'], LATE);
    expect([...(await outbox.wantedBy(['a', 'b', 'c']))].map(([, endpoints]) => endpoints.length)).toEqual([0, 1, 1]);
    expect(await outbox.place()).toEqual({ event: undefined, seenAt: 3 });
    await outbox.stop();
  });

  it('make room when their time is over', async () => {
    const outbox = await outboxIn(directory, { maxNotices: 1 });
    await outbox.want(wishesOf('a'), ['crm'], 10);
    await outbox.trim(0, 11, 100);
    await outbox.want(wishesOf('b'), ['crm'], LATE);
    expect(await outbox.wantedBy(['a', 'b'])).toEqual(
      new Map([
        ['a', []],
        ['b', [{ endpoint: 'crm', manifestSha256: 'of b' }]],
      ]),
    );
    await outbox.stop();
  });

  it('are of one manifest each, and one that was told makes no room of another', async () => {
    const outbox = await outboxIn(directory, { maxNotices: 3 });
    await outbox.want([{ subject: 'a', manifestSha256: 'one' }], ['crm'], LATE);
    await outbox.add([noticeOf('a')], { event: undefined, seenAt: 0 }, 1);
    await outbox.want([{ subject: 'a', manifestSha256: 'two' }, ...wishesOf('b')], ['crm'], LATE + 1);
    await outbox.want(wishesOf('c'), ['crm'], LATE);
    expect(await outbox.wantedBy(['a', 'b', 'c'])).toEqual(
      new Map([
        ['a', [{ endpoint: 'crm', manifestSha256: 'two' }]],
        ['b', [{ endpoint: 'crm', manifestSha256: 'of b' }]],
        ['c', [{ endpoint: 'crm', manifestSha256: 'of c' }]],
      ]),
    );
    await outbox.stop();
  });

  it('of a version before are kept, for any manifest, with their count', async () => {
    const before = new Sqlite(path.join(directory, 'outbox.db'));
    for (const name of ['001_webhook_outbox', '002_room', '003_wishes', '004_plans']) before.exec(readFileSync(new URL(`${name}.sql`, SQL), 'utf8'));
    before.pragma('user_version = 4');
    before.exec("INSERT INTO wanted (task_id, endpoint, until, told) VALUES ('a', 'crm', 1000000, 0), ('b', 'crm', 1000000, 1)");
    before.close();
    const outbox = await outboxIn(directory, { maxNotices: 2 });
    expect(await outbox.wantedBy(['a'])).toEqual(new Map([['a', [{ endpoint: 'crm', manifestSha256: '' }]]]));
    // Two are counted; the one that was told makes room.
    await outbox.want(wishesOf('c'), ['crm'], LATE);
    expect([...(await outbox.wantedBy(['a', 'b', 'c']))].map(([, wishes]) => wishes.length)).toEqual([1, 0, 1]);
    await expect(outbox.want(wishesOf('d'), ['crm'], LATE)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    await outbox.stop();
  });
});
