import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase, type SqliteDatabase } from '../../../../../src/adapters/sqlite/open.ts';
import { createPlanJournal } from '../../../../../src/adapters/sqlite/plan-journal/plan-journal.ts';
import type { Lifecycle } from '../../../../../src/core/lifecycle.ts';
import type { PlanEnd, PlanJournal } from '../../../../../src/core/ports/index.ts';
import { wishAt } from '../../../../support/wishes.ts';

const idOf = (n: number): string => n.toString(16).padStart(64, '0');
const FAILED: PlanEnd = { status: 'FAILURE', code: 'TOOL_FAILED', message: 'no', endedBy: '0', result: '{"end":1}' };
const DONE: PlanEnd = { status: 'SUCCESS', code: undefined, message: '', endedBy: undefined, result: '{"end":2}' };
const OLD = 1000;
const BEFORE = 2000;
const YOUNG = 3000;

describe('the trimming of the plan journal', () => {
  let directory: string;
  let journal: PlanJournal & Lifecycle;
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'writ-plan-trim-'));
    journal = createPlanJournal({ directory });
    await journal.start();
  });
  afterEach(async () => {
    await journal.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const begin = (n: number, at = OLD, wish = wishAt()) => journal.begin({ planSha256: idOf(n), envelope: '{}', lease: 'lease', wish }, at);
  const answer = (n: number, step: number, at = OLD, result = '{}') =>
    journal.append(idOf(n), { path: String(step), generation: 0, taskId: `s-${n}-${step}`, executorResult: result, capabilityId: undefined }, at);
  const end = (n: number, how: PlanEnd, at = OLD, generation = 0) => journal.end({ planSha256: idOf(n), generation }, how, at);
  /** A plan that has had so many answers. */
  async function ended(n: number, answers: number, how: PlanEnd, at = OLD): Promise<void> {
    await begin(n, at);
    for (let step = 0; step < answers; step += 1) await answer(n, step, at);
    await end(n, how, at);
  }
  const trim = (limit = 200) => journal.trim(0, BEFORE, limit);
  function rows(
    look: (db: SqliteDatabase) => unknown = (db) =>
      db.prepare('SELECT (SELECT count(*) FROM plan), (SELECT count(*) FROM envelope), (SELECT count(*) FROM entry)').raw().get(),
  ) {
    const db = openDatabase(join(directory, 'plan.db'));
    try {
      return look(db);
    } finally {
      db.close();
    }
  }

  it('keeps of a plan that has seen an answer that it was run, how and when, and does not begin or retry it again', async () => {
    await ended(1, 2, DONE);
    await ended(2, 1, FAILED);
    expect(await trim()).toEqual({ tasks: 2, last: undefined });
    expect(rows()).toEqual([0, 0, 0]);
    expect(rows((db) => db.prepare('SELECT count(*) FROM wish').pluck().get())).toBe(0);
    for (const [n, status] of [
      [1, 'SUCCESS'],
      [2, 'FAILURE'],
    ] as const) {
      const line = { planSha256: idOf(n), status, endedAt: OLD };
      expect(await begin(n, YOUNG)).toEqual(line);
      expect(await begin(n, YOUNG, wishAt(1))).toEqual(line);
      expect(await journal.note(idOf(n), wishAt(2))).toBe(false);
      expect(await journal.record(idOf(n))).toBeUndefined();
    }
  });

  it('lets a plan that has seen no answer begin anew, in a later generation, and trims it again', async () => {
    await ended(1, 0, { ...FAILED, endedBy: undefined });
    expect(await trim()).toEqual({ tasks: 1, last: undefined });
    expect(await begin(1)).toMatchObject({ generation: 1, entries: 0, end: undefined });
    await answer(1, 0);
    expect(await end(1, DONE, OLD, 1)).toEqual(DONE);
    expect(await trim()).toEqual({ tasks: 1, last: undefined });
    expect(await begin(1)).toEqual({ planSha256: idOf(1), status: 'SUCCESS', endedAt: OLD });
  });

  it('leaves alone what runs and what has changed lately', async () => {
    await begin(1);
    await answer(1, 0);
    await ended(2, 1, DONE, YOUNG);
    await ended(3, 1, FAILED);
    await begin(3, OLD, wishAt(1));
    expect(await trim()).toEqual({ tasks: 0, last: undefined });
    expect(rows()).toEqual([3, 3, 3]);
  });

  it('goes portion by portion; in between the plan is known as run', async () => {
    await ended(1, 5, DONE);
    expect(await trim(3)).toEqual({ tasks: 0, last: 0 });
    expect(rows()).toEqual([1, 1, 3]);
    expect(await begin(1)).toEqual({ planSha256: idOf(1), status: 'SUCCESS', endedAt: OLD });
    expect(await begin(1, OLD, wishAt(1))).toMatchObject({ endedAt: OLD });
    expect([await trim(3), await trim(3), await trim(3)]).toEqual([
      { tasks: 0, last: 0 },
      // Its wish was the last row that there was room for.
      { tasks: 1, last: 0 },
      { tasks: 0, last: undefined },
    ]);
    expect(rows()).toEqual([0, 0, 0]);
  });

  it('deletes no more than a few megabytes at a time', async () => {
    await begin(1);
    for (let step = 0; step < 6; step += 1) await answer(1, step, OLD, `{"x":"${'x'.repeat(1_000_000)}"}`);
    await end(1, DONE);
    expect(await trim()).toEqual({ tasks: 0, last: 0 });
    expect(rows()).toEqual([1, 1, 1]);
  });

  it('makes the answer and the end of a delivery from before stale, without harm to its neighbours', async () => {
    await ended(1, 1, DONE);
    await ended(2, 0, FAILED);
    await trim();
    await begin(2);
    await begin(3);
    const [stale, other] = await Promise.all([answer(1, 1), answer(3, 0)]);
    expect([stale, other?.taskId]).toEqual([undefined, 's-3-0']);
    expect(await end(1, FAILED)).toBeUndefined();
    expect(await end(2, FAILED)).toBeUndefined();
    expect(await journal.record(idOf(2))).toMatchObject({ generation: 1, end: undefined });
    await journal.lose(idOf(1));
  });

  it('is guarded by the database, whatever program writes there', async () => {
    await ended(1, 1, DONE);
    await ended(2, 1, DONE);
    await trim(2);
    await begin(3);
    const refused = (sql: string, why: RegExp) => expect(() => rows((db) => db.exec(sql)), sql).toThrow(why);
    refused('DELETE FROM entry', /answers are not deleted/);
    refused(`DELETE FROM plan WHERE plan_sha256 = '${idOf(3)}'`, /plans are not deleted/);
    refused('DELETE FROM trimmed', /not forgotten/);
    refused('UPDATE trimmed SET done = 0', /not forgotten/);
    refused(`INSERT INTO plan (plan_sha256, lease, state, changed_at) VALUES ('${idOf(1)}', 'l', 'running', 1)`, /was run before/);
  });
});
