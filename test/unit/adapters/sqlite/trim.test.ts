import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { Sqlite } from '../../../../src/adapters/sqlite/driver.ts';
import { createInProcessJournal } from '../../../../src/adapters/sqlite/journal/journal-in-process.ts';
import { openJournalReader } from '../../../../src/adapters/sqlite/journal/journal-reader.ts';
import type { SqliteFileJournal } from '../../../../src/adapters/sqlite/journal/journal-requests.ts';
import type { ToolIntent } from '../../../../src/core/ports/index.ts';
import { deleteIntent, failed, inVault, moveIntent, succeeded } from '../../../conformance/journal-fixtures.ts';
import { toolJournal } from '../../../support/tools.ts';

const SHA = 'ab'.repeat(32);
/** Milliseconds at which everything in these tests has ended: the leases of the fixtures first. */
const LONG_AGO = 1_900_000_000_000;
const YOUNG = 2_000_000_000_000;
const BEFORE = 1_950_000_000_000;
const ALL = 1000;

describe('the trimming of the file journal', () => {
  let directory: string;
  let file: string;
  let journal: SqliteFileJournal;
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'writ-trim-'));
    file = join(directory, 'journal.db');
    journal = createInProcessJournal({ file });
    await journal.start();
  });
  afterEach(async () => {
    await journal.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  const done = async (taskId: string, at = LONG_AGO): Promise<void> => {
    const opened = await journal.open(moveIntent(taskId), undefined, at);
    await journal.close(taskId, 'n' in opened ? opened.n : 0, succeeded(), at);
  };
  const trim = () => journal.trim(0, BEFORE, ALL);

  it('keeps of a success that it happened and under which manifest, and refuses another attempt for ever', async () => {
    await done('a');
    expect(await trim()).toEqual({ tasks: 1, last: undefined });
    expect(await journal.view('a')).toEqual({
      attempts: 1,
      open: undefined,
      success: undefined,
      doubtful: undefined,
      trimmed: { manifestSha256: SHA, closedAt: LONG_AGO },
    });
    expect(await journal.open(moveIntent('a', { authority: { jti: 'new', exp: 4_000_000_000, kid: 'k' } }), undefined, YOUNG)).toEqual({ kind: 'conflict' });
    expect(await journal.counts()).toEqual({ open: 0, success: 0, failure: 0, incidents: 0 });
    expect(await journal.trimmedTasks()).toBe(1);
    expect(await journal.successes(undefined, ALL)).toEqual([]);
    using reader = openJournalReader(file);
    expect([reader.view('a').trimmed, reader.trimmedTasks()]).toEqual([{ manifestSha256: SHA, closedAt: LONG_AGO }, 1]);
  });

  it('leaves alone what is open, ended or leased too lately, or has a file in a vault', async () => {
    await journal.open(moveIntent('open'), undefined, 1);
    await done('young', YOUNG);
    await journal.open(moveIntent('leased', { authority: { jti: 'j', exp: BEFORE / 1000, kid: 'k' } }), undefined, 1);
    await journal.close('leased', 1, succeeded(), 2);
    await journal.open(deleteIntent('deleted'), { bytes: 1, quota: 10 }, 1);
    await journal.close('deleted', 1, succeeded(), 2);
    const before = await Promise.all(['open', 'young', 'leased', 'deleted'].map((taskId) => journal.view(taskId)));
    expect((await trim()).tasks).toBe(0);
    expect(await Promise.all(['open', 'young', 'leased', 'deleted'].map((taskId) => journal.view(taskId)))).toEqual(before);
    // A purge takes the file away.
    const { base, segments } = inVault('data', 'deleted');
    await journal.vaultForget(base, segments[1] ?? '');
    expect((await trim()).tasks).toBe(1);
    expect((await journal.view('deleted')).trimmed).toBeDefined();
  });

  it('lets a failed task be tried again, and goes on counting its attempts', async () => {
    for (const n of [1, 2]) {
      expect(await journal.open(moveIntent('f'), undefined, 1)).toEqual({ kind: 'opened', n });
      await journal.close('f', n, { ...failed(), doubtful: n === 2 }, 2);
    }
    expect((await trim()).tasks).toBe(1);
    expect(await journal.view('f')).toEqual({ attempts: 2, open: undefined, success: undefined, doubtful: undefined, trimmed: undefined });
    expect(await journal.open(moveIntent('f'), undefined, 3)).toEqual({ kind: 'opened', n: 3 });
    await journal.close('f', 3, succeeded(), 4);
    expect((await trim()).tasks).toBe(1);
    expect(await journal.view('f')).toMatchObject({ attempts: 3, trimmed: { manifestSha256: SHA, closedAt: 4 } });
    expect(await journal.trimmedTasks()).toBe(1);
  });

  it('goes through the journal in portions, from the oldest on, and ends at the first young attempt', async () => {
    const old = Array.from({ length: 10 }, (_, i) => `t${9 - i}`);
    for (const taskId of old) await done(taskId);
    await done('young', YOUNG);
    const first = await journal.trim(0, BEFORE, 4);
    expect(first.tasks).toBe(4);
    expect((await journal.view('t6')).trimmed).toBeDefined();
    expect((await journal.view('t5')).success).toBeDefined();
    const second = await journal.trim(first.last ?? Number.NaN, BEFORE, 4);
    expect(second.tasks).toBe(4);
    expect(await journal.trim(second.last ?? Number.NaN, BEFORE, 4)).toEqual({ tasks: 2, last: undefined });
    expect(await trim()).toEqual({ tasks: 0, last: undefined });
  });

  it('is guarded by the database itself, whatever program writes', async () => {
    await done('a');
    await done('b');
    await journal.open(moveIntent('o'), undefined, 1);
    await trim();
    await done('c', YOUNG);
    const db = new Sqlite(file);
    onTestFinished(() => void db.close());
    const line = (taskId: string, doneFlag: number, attempts = 1): string =>
      `INSERT INTO trimmed (task_id, manifest_sha256, attempts, done, closed_at) VALUES ('${taskId}', x'${SHA}', ${attempts}, ${doneFlag}, 1)`;
    for (const sql of [
      `DELETE FROM attempt WHERE task_id = 'c'`,
      `${line('c', 0)}; DELETE FROM attempt WHERE task_id = 'c'`,
      `${line('o', 1)}; DELETE FROM attempt WHERE task_id = 'o'`,
      `DELETE FROM trimmed WHERE task_id = 'a'`,
      `UPDATE trimmed SET done = 0 WHERE task_id = 'a'`,
      `INSERT INTO attempt SELECT 'a', 2, manifest_sha256, jti, exp, kid, instance, pid, start_time, operation, method, source_base, source_path,
       destination_base, destination_path, source_identity, temporary, retired_base, retired_path, undo_of, opened_at, stage, sealed_identity, sealed_sha256,
       state, closed_at, result, outcome_identity, undone_by, standing_identity, doubtful FROM attempt WHERE task_id = 'o'`,
    ]) {
      db.exec('BEGIN');
      expect(() => db.exec(sql), sql).toThrow(/not deleted|not forgotten|done before/);
      db.exec('ROLLBACK');
    }
  });

  it('takes back the whole portion when the storage fails within it', async () => {
    await done('a');
    await done('b');
    const db = new Sqlite(file);
    onTestFinished(() => void db.close());
    db.exec("CREATE TRIGGER full BEFORE DELETE ON attempt WHEN OLD.task_id = 'b' BEGIN SELECT RAISE(ABORT, 'no room'); END");
    await expect(trim()).rejects.toThrow('no room');
    expect((await journal.view('a')).success).toBeDefined();
    expect(await journal.trimmedTasks()).toBe(0);
    db.exec('DROP TRIGGER full');
    expect((await trim()).tasks).toBe(2);
  });
});

describe('the trimming of the tool journal', () => {
  const STEP = `s-${'0'.repeat(64)}`;
  const intent = (taskId: string, jti = 'lease-1'): ToolIntent => ({
    taskId,
    manifestSha256: SHA,
    authority: { jti, exp: 9, kid: 'k' },
    tool: 't',
    operation: 'op',
  });

  it('keeps that a request was sent where none may follow, and the number of attempts elsewhere', async () => {
    const journal = await toolJournal();
    onTestFinished(() => journal.remove());
    const ends = { success: ['success', true], sent: ['failure', true], unsent: ['failure', false], [STEP]: ['failure', true] } as const;
    for (const [taskId, [state, sent]] of Object.entries(ends)) {
      await journal.open(intent(taskId), 1);
      await journal.close(taskId, 1, { state, sent, result: '{}' }, 20_000);
    }
    await journal.open(intent('open'), 1);
    expect(await journal.trim(0, 20_000, ALL)).toEqual({ tasks: 0, last: undefined });
    expect(await journal.trim(0, 20_001, ALL)).toEqual({ tasks: 4, last: undefined });
    for (const taskId of ['success', STEP]) {
      expect((await journal.view(taskId)).trimmed).toEqual({ manifestSha256: SHA, closedAt: 20_000 });
      expect(await journal.open(intent(taskId, 'lease-2'), 3)).toEqual({ kind: 'conflict' });
    }
    for (const taskId of ['sent', 'unsent']) {
      expect((await journal.view(taskId)).trimmed).toBeUndefined();
      expect(await journal.open(intent(taskId, 'lease-2'), 3)).toEqual({ kind: 'opened', n: 2 });
    }
    expect((await journal.view('open')).open).toBeDefined();
  });
});
