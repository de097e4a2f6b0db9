import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/adapters/sqlite/open.ts';
import { createPlanJournal } from '../../../src/adapters/sqlite/plan-journal/plan-journal.ts';
import type { PlanEnd, PlanJournal } from '../../../src/core/ports/index.ts';
import { wishAt } from '../../support/wishes.ts';

const MIGRATIONS = new URL('../../../src/adapters/sqlite/sql/plan-journal/', import.meta.url);
const SHA = 'a'.repeat(64);
const OTHER = 'b'.repeat(64);
const FAILED: PlanEnd = { status: 'FAILURE', code: 'TOOL_FAILED', message: 'no', endedBy: '1', result: '{"end":1}' };

describe('the plan journal', () => {
  let directory: string;
  let journal: ReturnType<typeof createPlanJournal>;
  const entry = (path: string, generation = 0, result = `{"of":"${path}"}`) => ({
    path,
    generation,
    taskId: `s-${path}-${generation}`,
    executorResult: result,
    capabilityId: 'TOOL_CALL',
  });
  const plan = (generation = 0, planSha256 = SHA) => ({ planSha256, generation });
  const begin = (of: PlanJournal, lease = 'lease', wish = wishAt()) => of.begin({ planSha256: SHA, envelope: '{}', lease, wish }, 1);

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'writ-plan-journal-'));
    journal = createPlanJournal({ directory });
    await journal.start();
  });
  afterEach(async () => {
    await journal.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  it('begins a plan once, and gives a plan that runs its newest lease', async () => {
    expect(await begin(journal)).toMatchObject({ planSha256: SHA, lease: 'lease', end: undefined, entries: 0, voided: 0, losses: 0 });
    expect(await begin(journal, 'newer')).toMatchObject({ lease: 'newer' });
    expect(await journal.record(SHA)).toMatchObject({ planSha256: SHA, envelope: '{}', lease: 'newer' });
    expect(await journal.record(OTHER)).toBeUndefined();
  });

  it('keeps the first answer of a place, in the order in which the plan saw them', async () => {
    await begin(journal);
    await Promise.all([journal.append(SHA, entry('0'), 2), journal.append(SHA, entry('1'), 2)]);
    expect(await journal.append(SHA, entry('0', 0, '{"another":1}'), 3)).toMatchObject({ executorResult: '{"of":"0"}' });
    expect((await journal.entries(SHA)).map(({ path }) => path)).toEqual(['0', '1']);
  });

  it('takes over the plans of a file from before envelopes had a table of their own', async () => {
    const old = join(directory, 'old');
    mkdirSync(old);
    const db = openDatabase(join(old, 'plan.db'));
    for (const name of ['001_plan_journal.sql', '002_generations.sql']) db.exec(readFileSync(new URL(name, MIGRATIONS), 'utf8'));
    db.pragma('user_version = 2');
    db.exec(`INSERT INTO plan (plan_sha256, envelope, lease, state, changed_at) VALUES ('${SHA}', '{"large":1}', 'lease', 'running', 1)`);
    db.exec(`INSERT INTO entry (plan_sha256, path, generation, seq, task_id, executor_result) VALUES ('${SHA}', '0', 0, 1, 's-0', '{"of":"0"}')`);
    db.close();
    const upgraded = createPlanJournal({ directory: old });
    await upgraded.start();
    expect(await upgraded.append(SHA, entry('1'), 2)).toMatchObject({ path: '1' });
    expect(await begin(upgraded)).toMatchObject({ lease: 'lease', end: undefined, entries: 2 });
    expect(await upgraded.record(SHA)).toMatchObject({ envelope: '{"large":1}', entries: 2 });
    await upgraded.stop();
  });

  it('writes as much for an answer to a plan of a megabyte as to a small one', async () => {
    const wal = (): number => statSync(join(directory, 'plan.db-wal')).size;
    await journal.begin({ planSha256: OTHER, envelope: 'x'.repeat(1_000_000), lease: 'lease', wish: wishAt() }, 1);
    const before = wal();
    await journal.append(OTHER, entry('0'), 2);
    expect(wal() - before).toBeLessThan(100_000);
  });

  it('keeps what it has answered when its process is gone', async () => {
    await begin(journal);
    await journal.append(SHA, entry('0'), 2);
    await journal.end(plan(), FAILED, 3);
    // Nothing is closed: as after a kill.
    const other = createPlanJournal({ directory });
    await other.start();
    expect(await other.record(SHA)).toMatchObject({ end: FAILED, entries: 1 });
    expect(await begin(other)).toMatchObject({ end: FAILED });
    await other.stop();
  });

  it('keeps the first end', async () => {
    await begin(journal);
    expect(await journal.end(plan(), FAILED, 2)).toEqual(FAILED);
    expect(await journal.end(plan(), { ...FAILED, status: 'SUCCESS', result: '{}' }, 3)).toEqual(FAILED);
    expect(await journal.record(SHA)).toMatchObject({ end: FAILED });
  });

  it('takes back exactly the answer that ended a plan when it runs on, and keeps it for the kernel', async () => {
    await begin(journal);
    for (const path of ['0', '1']) await journal.append(SHA, entry(path), 2);
    await journal.end(plan(), FAILED, 3);
    expect(await begin(journal, 'newer', wishAt(1))).toMatchObject({ end: undefined, entries: 2, voided: 1, lease: 'newer' });
    await journal.append(SHA, entry('1', 1), 5);
    expect((await journal.entries(SHA)).map(({ path, generation, voided }) => [path, generation, voided])).toEqual([
      ['0', 0, false],
      ['1', 0, true],
      ['1', 1, false],
    ]);
  });

  it('runs a plan on that ended without a step, and never one that succeeded', async () => {
    await begin(journal);
    await journal.append(SHA, entry('0'), 2);
    await journal.end(plan(), { ...FAILED, code: 'CANCELLED', endedBy: undefined }, 3);
    expect(await begin(journal, 'newer', wishAt(1))).toMatchObject({ end: undefined, voided: 0 });
    const done: PlanEnd = { status: 'SUCCESS', code: undefined, message: '', endedBy: undefined, result: '{}' };
    await journal.end(plan(1), done, 5);
    expect(await begin(journal, 'newest', wishAt(2))).toMatchObject({ end: done, lease: 'newer' });
  });

  it('takes no decision of a delivery that began before a retry', async () => {
    await begin(journal);
    await journal.append(SHA, entry('1'), 2);
    await journal.end(plan(), FAILED, 3);
    expect(await begin(journal, 'newer', wishAt(1))).toMatchObject({ generation: 1, end: undefined });
    // Awake again, it ends the plan for the answer that the retry has taken back, or for a cancel of that time.
    expect(await journal.end(plan(), FAILED, 5)).toBeUndefined();
    expect(await journal.append(SHA, entry('1'), 5)).toBeUndefined();
    expect(await journal.append(SHA, entry('1', 1), 6)).toMatchObject({ generation: 1 });
    expect(await journal.append(SHA, entry('1'), 7)).toBeUndefined();
    expect(await journal.record(SHA)).toMatchObject({ generation: 1, end: undefined, entries: 2, voided: 1 });
    const done: PlanEnd = { ...FAILED, result: '{"end":2}' };
    expect(await journal.end(plan(1), done, 8)).toEqual(done);
    expect(await journal.end(plan(), FAILED, 9)).toEqual(done);
    // Nor does it retry once more what its job has retried.
    expect(await begin(journal, 'old', wishAt(1))).toMatchObject({ generation: 1, end: done, lease: 'newer', voided: 1 });
  });

  describe('of a plan that has failed, and its wishes', () => {
    const wishes = (): number => {
      const db = openDatabase(join(directory, 'plan.db'));
      try {
        return Number(db.prepare('SELECT count(*) FROM wish').pluck().get());
      } finally {
        db.close();
      }
    };

    it('runs it on once for each of them, whichever process serves it', async () => {
      const other = createPlanJournal({ directory });
      await other.start();
      await begin(journal);
      await journal.end(plan(), FAILED, 2);
      expect(await begin(other, 'lease', wishAt(0))).toMatchObject({ generation: 0, end: FAILED });
      const both = await Promise.all([begin(journal, 'l', wishAt(1)), begin(other, 'l', wishAt(1))]);
      expect(both).toMatchObject([
        { generation: 1, end: undefined },
        { generation: 1, end: undefined },
      ]);
      await journal.end(plan(1), FAILED, 3);
      for (const served of [0, 1]) expect(await begin(journal, 'l', wishAt(served))).toMatchObject({ generation: 1, end: FAILED });
      expect([await other.served(SHA, wishAt(1)), await other.served(SHA, wishAt(2)), await other.served(OTHER, wishAt(1))]).toEqual([true, false, false]);
      await other.stop();
    });

    it('keeps those that came while it ran: how it ended is their answer', async () => {
      await begin(journal);
      expect(await journal.begin({ planSha256: SHA, envelope: '{}', lease: 'of another job', wish: wishAt(1), keepsLease: true }, 1)).toMatchObject({
        lease: 'lease',
        end: undefined,
      });
      await journal.end(plan(), FAILED, 2);
      expect(await begin(journal, 'l', wishAt(1))).toMatchObject({ generation: 0, end: FAILED });
    });

    it('takes a job that nobody asked for only while it runs', async () => {
      expect(await journal.note(SHA, wishAt(1))).toBe(false);
      await begin(journal);
      expect(await journal.note(SHA, wishAt(1))).toBe(true);
      await journal.end(plan(), FAILED, 2);
      expect([await journal.note(SHA, wishAt(2)), await journal.served(SHA, wishAt(2))]).toEqual([false, false]);
      expect(await begin(journal, 'l', wishAt(1))).toMatchObject({ end: FAILED });
      expect(await begin(journal, 'l', wishAt(2))).toMatchObject({ generation: 1, end: undefined });
    });

    it('keeps the youngest sixty-four, and none of a plan that has succeeded', async () => {
      await Promise.all(Array.from({ length: 200 }, (_, n) => begin(journal, 'lease', wishAt(n))));
      expect(wishes()).toBe(64);
      expect([await journal.served(SHA, wishAt(136)), await journal.served(SHA, wishAt(135))]).toEqual([true, false]);
      await journal.end(plan(), { status: 'SUCCESS', code: undefined, message: '', endedBy: undefined, result: '{}' }, 2);
      await begin(journal, 'lease', wishAt(777));
      expect([wishes(), await journal.served(SHA, wishAt(777))]).toEqual([64, false]);
      await expect(begin(journal, 'lease', 'hostile'.repeat(10))).resolves.toMatchObject({ end: { status: 'SUCCESS' } });
      await expect(journal.begin({ planSha256: OTHER, envelope: '{}', lease: 'l', wish: 'short' }, 1)).rejects.toMatchObject({ code: expect.any(String) });
    });

    it('of before they were kept tells an end of which the queue did not know, and takes whoever comes to any other for an ask', async () => {
      const old = join(directory, 'old');
      mkdirSync(old);
      const db = openDatabase(join(old, 'plan.db'));
      for (const name of readdirSync(MIGRATIONS).sort().slice(0, 5)) db.exec(readFileSync(new URL(name, MIGRATIONS), 'utf8'));
      db.pragma('user_version = 5');
      const insert = db.prepare("INSERT INTO plan (plan_sha256, lease, state, code, message, result, settled, changed_at) VALUES (?, 'l', ?, ?, '', ?, ?, 1)");
      const KNOWN = 'c'.repeat(64);
      const RUNS = 'd'.repeat(64);
      insert.run(SHA, 'failure', 'TOOL_FAILED', '{}', 0);
      insert.run(KNOWN, 'failure', 'TOOL_FAILED', '{}', 1);
      insert.run(RUNS, 'running', null, null, 0);
      db.close();
      const upgraded = createPlanJournal({ directory: old });
      await upgraded.start();
      const come = (planSha256: string, n: number) => upgraded.begin({ planSha256, envelope: '{}', lease: 'l', wish: wishAt(n) }, 2);
      for (const _twice of [1, 2]) expect(await come(SHA, 0)).toMatchObject({ generation: 0, end: { status: 'FAILURE' } });
      expect(await come(SHA, 1)).toMatchObject({ generation: 1, end: undefined });
      expect(await come(KNOWN, 0)).toMatchObject({ generation: 1, end: undefined });
      expect(await come(RUNS, 0)).toMatchObject({ generation: 0, end: undefined });
      await upgraded.stop();
    });
  });

  it('counts the workers that were lost since the last answer', async () => {
    await begin(journal);
    expect([await journal.lose(SHA), await journal.lose(SHA)]).toEqual([1, 2]);
    await journal.append(SHA, entry('0'), 2);
    expect(await journal.record(SHA)).toMatchObject({ losses: 0 });
    expect(await journal.lose(OTHER)).toBe(0);
  });

  it('names the plans that run and have not changed, oldest first', async () => {
    await begin(journal);
    await journal.begin({ planSha256: OTHER, envelope: '{"o":1}', lease: 'other', wish: wishAt() }, 5);
    await journal.append(SHA, entry('0'), 9);
    expect((await journal.running(10, 10)).map(({ planSha256 }) => planSha256)).toEqual([OTHER, SHA]);
    expect(await journal.running(8, 10)).toEqual([{ planSha256: OTHER, changedAt: 5 }]);
    const [first] = await journal.running(10, 1);
    expect(await journal.running(10, 1, first)).toEqual([{ planSha256: SHA, changedAt: 9 }]);
    await journal.end(plan(0, OTHER), FAILED, 11);
    expect((await journal.running(99, 10)).map(({ planSha256 }) => planSha256)).toEqual([SHA]);
  });

  it('refuses every request outside of its life, and a request that breaks a rule alone', async () => {
    await journal.stop();
    await expect(journal.record(SHA)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    await journal.start();
    await expect(journal.append(SHA, entry('0'), 2)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    expect(await begin(journal)).toMatchObject({ entries: 0 });
  });

  it('lets two processes share it', async () => {
    const other = createPlanJournal({ directory });
    await other.start();
    await begin(journal);
    const answers = await Promise.all([journal, other].map((one) => one.append(SHA, entry('0', 0, `{"by":${one === other}}`), 2)));
    expect(answers[0]).toEqual(answers[1]);
    await other.stop();
  });
});
