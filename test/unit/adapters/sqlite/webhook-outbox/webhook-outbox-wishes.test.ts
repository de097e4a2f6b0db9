import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { outboxIn } from '../../../../support/webhooks.ts';

const LATE = 1_000_000;

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'writ-wishes-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

function noticeOf(taskId: string) {
  return { id: `id-${taskId}`, endpoint: 'crm', taskId, capabilityId: 'FILE_MOVE', at: 5, body: 'x' };
}

describe('wishes of the outbox', () => {
  it('are refused when as many tasks are wanted that were not told, and nothing of the refused ones is written', async () => {
    const outbox = await outboxIn(directory, { maxNotices: 3 });
    await outbox.want(['a', 'b'], ['crm'], LATE);
    await expect(outbox.want(['c', 'd'], ['crm'], LATE)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    // Wished once more it is the same wish.
    await outbox.want(['a', 'b', 'c'], ['crm'], LATE + 1);
    expect([...(await outbox.wantedBy(['a', 'b', 'c', 'd']))].map(([, endpoints]) => endpoints.length)).toEqual([1, 1, 1, 0]);
    await outbox.stop();
  });

  it('whose task was told make room, the oldest of them first', async () => {
    const outbox = await outboxIn(directory, { maxNotices: 3 });
    await outbox.want(['b'], ['crm'], LATE + 1);
    await outbox.want(['a', 'c'], ['crm'], LATE);
    await outbox.add([noticeOf('a'), noticeOf('b')], { event: undefined, seenAt: 0 }, 1);
    await outbox.want(['d'], ['crm'], LATE);
    expect([...(await outbox.wantedBy(['a', 'b', 'c', 'd']))].map(([, endpoints]) => endpoints.length)).toEqual([0, 1, 1, 1]);
    await outbox.stop();
  });

  it('of a task of which a notice is there already make room as well', async () => {
    const outbox = await outboxIn(directory, { maxNotices: 2 });
    await outbox.add([noticeOf('a')], { event: undefined, seenAt: 3 }, 1);
    await outbox.want(['a', 'b'], ['crm'], LATE);
    expect(await outbox.add([noticeOf('a')], undefined, 1)).toEqual({ added: 0, dropped: 0 });
    await outbox.want(['c'], ['crm'], LATE);
    expect([...(await outbox.wantedBy(['a', 'b', 'c']))].map(([, endpoints]) => endpoints.length)).toEqual([0, 1, 1]);
    expect(await outbox.place()).toEqual({ event: undefined, seenAt: 3 });
    await outbox.stop();
  });

  it('make room when their time is over', async () => {
    const outbox = await outboxIn(directory, { maxNotices: 1 });
    await outbox.want(['a'], ['crm'], 10);
    await outbox.trim(0, 11, 100);
    await outbox.want(['b'], ['crm'], LATE);
    expect(await outbox.wantedBy(['a', 'b'])).toEqual(
      new Map([
        ['a', []],
        ['b', ['crm']],
      ]),
    );
    await outbox.stop();
  });
});
