import { beforeEach, describe, expect, it } from 'vitest';
import { scheduleStore } from '../../../../../src/adapters/sqlite/kernel-store/schedule-store.ts';
import { migrate } from '../../../../../src/adapters/sqlite/migrate.ts';
import { openDatabase, type SqliteDatabase } from '../../../../../src/adapters/sqlite/open.ts';
import type { Firing, ScheduleStore, StoredSchedule } from '../../../../../src/core/ports/index.ts';
import { memorySchedules } from '../../../../fixtures/schedules/memory-store.ts';

const ENVELOPE = { sha256: 'e'.repeat(64), text: '{"header":{},"payload":{}}' };
const WHEN = { cron: '0 2 * * *', tz: 'UTC', missed: 'latest', overlap: 'skip', gap: 'after', fold: 'first' } as const;
const schedule = (id: string): StoredSchedule => ({
  id,
  definition: { plan_sha256: ENVELOPE.sha256, ...WHEN },
  state: 'active',
  cursor: 1,
  since: 1,
  next: 2,
  by: 'ops',
  at: 0,
});
const entry = (id: string) => ({ action: 'add', schedule: id, by: 'ops', details: {} }) as const;
const firing = (id: string, lookAt: number | undefined): Firing => ({
  taskId: `p-${'f'.repeat(64)}`,
  schedule: id,
  planned: 2,
  manifestSha256: 'f'.repeat(64),
  manifest: JSON.stringify({ envelope_sha256: ENVELOPE.sha256 }),
  terms: {},
  state: 'pushed',
  detail: undefined,
  pushes: 1,
  lookAt,
});

let db: SqliteDatabase;
beforeEach(() => {
  db = openDatabase(':memory:');
  migrate(db, new URL('../../../../../src/adapters/sqlite/sql/kernel/', import.meta.url));
});

describe.each<[string, () => ScheduleStore]>([
  ['SQLite', () => scheduleStore(db)],
  ['memory', memorySchedules],
])('the schedules of plans in %s', (_name, open) => {
  it('are read as they were written, with an envelope that they share', () => {
    const store = open();
    for (const id of ['a', 'b']) store.put(schedule(id), entry(id), 0, ENVELOPE);
    expect(store.schedules()).toEqual([schedule('a'), schedule('b')]);
    expect([store.envelope(ENVELOPE.sha256), store.envelope('0'.repeat(64))]).toEqual([ENVELOPE.text, undefined]);
    store.decide({ id: 'a', cursor: 2, next: 3 }, [firing('a', 5)]);
    expect(store.firing(firing('a', 5).taskId)).toEqual(firing('a', 5));
    // Paused and resumed without its text.
    store.put({ ...schedule('a'), state: 'paused' }, { ...entry('a'), action: 'pause' }, 0);
    expect(store.envelope(ENVELOPE.sha256)).toBe(ENVELOPE.text);
  });
});

describe('an envelope in SQLite', () => {
  const removeText = () => db.prepare('DELETE FROM schedule_envelope').run();

  it('goes when neither a schedule nor a firing under way needs it, and not before', () => {
    const store = scheduleStore(db);
    store.put(schedule('a'), entry('a'), 0, ENVELOPE);
    expect(removeText).toThrow('a schedule needs this envelope');
    store.decide({ id: 'a', cursor: 2, next: 3 }, [firing('a', 5)]);
    store.remove('a', { ...entry('a'), action: 'remove' }, 0);
    store.trim(0, 100, 10);
    expect(store.envelope(ENVELOPE.sha256)).toBe(ENVELOPE.text);
    expect(removeText).toThrow('a firing that has not ended');
    store.update(firing('a', 5).taskId, { ...firing('a', undefined), state: 'ended', detail: 'SUCCESS' });
    store.trim(0, 100, 10);
    expect(store.envelope(ENVELOPE.sha256)).toBeUndefined();
  });

  it('is never another one', () => {
    scheduleStore(db).put(schedule('a'), entry('a'), 0, ENVELOPE);
    expect(() => db.prepare(`UPDATE schedule_envelope SET text = '{}'`).run()).toThrow('stays as it was registered');
  });
});
