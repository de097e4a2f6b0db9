import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openJournalEngine } from '../../../../../src/adapters/sqlite/journal/journal-engine.ts';
import type { JournalReply, JournalRequest } from '../../../../../src/adapters/sqlite/journal/journal-requests.ts';
import { openDatabase, type SqliteDatabase } from '../../../../../src/adapters/sqlite/open.ts';
import type { FileIntent } from '../../../../../src/core/ports/journal.ts';
import { deleteIntent, inVault, moveIntent, succeeded } from '../../../../conformance/journal-fixtures.ts';

let directory: string;
let db: SqliteDatabase;
let run: (requests: readonly JournalRequest[]) => readonly JournalReply[];
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'writ-batch-'));
  ({ db, run } = openJournalEngine(path.join(directory, 'journal.db')));
});
afterEach(() => {
  db.close();
  rmSync(directory, { recursive: true, force: true });
});

const open = (taskId: string, changes: Partial<FileIntent> = {}): JournalRequest => ({ op: 'open', args: [moveIntent(taskId, changes), undefined, 1] });
const close = (taskId: string): JournalRequest => ({ op: 'close', args: [taskId, 1, succeeded(), 2] });
const counts: JournalRequest = { op: 'counts', args: [] };
const kinds = (replies: readonly JournalReply[]): string[] => replies.map((reply) => (reply.ok ? 'ok' : reply.code));
const rows = (): unknown => db.prepare('SELECT count(*) FROM attempt').pluck().get();

describe('a batch', () => {
  it('is refused request by request: a wrong one leaves nothing and harms nobody', () => {
    const replies = run([open('a'), close('a'), close('a'), open('b', { temporary: 'x' }), open('a'), open('c'), counts]);
    expect(kinds(replies)).toEqual(['ok', 'ok', 'WRONG_STATE', 'INTERNAL', 'ok', 'ok', 'ok']);
    expect(replies[4]).toEqual({ ok: true, answer: { kind: 'conflict' } });
    expect(replies[6]).toEqual({ ok: true, answer: { open: 1, success: 1, failure: 0, incidents: 0 } });
    expect(rows()).toBe(2);
  });

  it('takes back what a request had written before it failed', () => {
    const remove = (taskId: string): JournalRequest => ({
      op: 'open',
      args: [deleteIntent(taskId, { destination: inVault('data', 'same') }), { bytes: 1, quota: 9 }, 1],
    });
    // The second one writes its attempt before it finds its vault place taken.
    expect(kinds(run([remove('a'), remove('b'), counts, open('c')]))).toEqual(['ok', 'INTERNAL', 'ok', 'ok']);
    expect(db.prepare('SELECT task_id FROM attempt ORDER BY 1').pluck().all()).toEqual(['a', 'c']);
    expect(db.prepare('SELECT files FROM vault_usage').pluck().get()).toBe(1);
  });

  it('is one transaction: no other process sees a part of it', () => {
    const other = openDatabase(path.join(directory, 'journal.db'), { readonly: true });
    let seen: unknown;
    db.function('look', () => {
      seen = other.prepare('SELECT count(*) FROM attempt').pluck().get();
      return null;
    });
    db.exec(`CREATE TEMP TRIGGER spy AFTER INSERT ON attempt WHEN NEW.task_id = 'b' BEGIN SELECT look(); END`);
    run([open('a'), open('b')]);
    expect(seen).toBe(0);
    expect(other.prepare('SELECT count(*) FROM attempt').pluck().get()).toBe(2);
    other.close();
  });

  it('on a full disk rejects its writes, answers its reads, and works again when there is room', () => {
    run([open('a')]);
    const pages = Number(db.pragma('page_count', { simple: true }));
    db.pragma(`max_page_count = ${pages}`);
    const many = Array.from({ length: 100 }, (_, i) => open(`t${i}`));
    const replies = run([...many, counts]);
    expect(new Set(kinds(replies.slice(0, -1)))).toEqual(new Set(['STORAGE_UNAVAILABLE']));
    expect(replies.at(-1)).toEqual({ ok: true, answer: { open: 1, success: 0, failure: 0, incidents: 0 } });
    expect(rows()).toBe(1);
    db.pragma(`max_page_count = ${pages + 1000}`);
    expect(new Set(kinds(run(many)))).toEqual(new Set(['ok']));
  });

  it('rejects its writes while another process holds the file, and then works', () => {
    const other = openDatabase(path.join(directory, 'journal.db'));
    db.pragma('busy_timeout = 1');
    other.exec('BEGIN IMMEDIATE');
    expect(kinds(run([open('a'), counts]))).toEqual(['STORAGE_UNAVAILABLE', 'ok']);
    expect(kinds(run([counts]))).toEqual(['ok']);
    other.exec('COMMIT');
    other.close();
    expect(kinds(run([open('a')]))).toEqual(['ok']);
  });
});

describe('the schema', () => {
  it.each([
    [
      'a second open attempt',
      `INSERT INTO attempt SELECT task_id, n + 1, manifest_sha256, jti, exp, kid, instance, pid, start_time, operation, method,
      source_base, source_path, destination_base, destination_path, source_identity, temporary, retired_base, retired_path, undo_of, opened_at, stage,
      sealed_identity, sealed_sha256, state, closed_at, result, outcome_identity, undone_by, standing_identity, doubtful FROM attempt WHERE task_id = 'open'`,
    ],
    [
      'a second success',
      `UPDATE attempt SET task_id = 'done', n = 2, state = 'success', result = 'x', outcome_identity = 'x', closed_at = 1 WHERE task_id = 'open'`,
    ],
    ['reopening', `UPDATE attempt SET state = 'open', result = NULL, outcome_identity = NULL, closed_at = NULL WHERE task_id = 'done'`],
    ['another result', `UPDATE attempt SET result = 'other' WHERE task_id = 'done'`],
    ['forgetting', `DELETE FROM attempt WHERE task_id = 'done'`],
    ['an end without result', `UPDATE attempt SET state = 'failure', closed_at = 1 WHERE task_id = 'open'`],
    ['a success without outcome', `UPDATE attempt SET state = 'success', result = 'x', closed_at = 1 WHERE task_id = 'open'`],
    ['an undone failure', `UPDATE attempt SET state = 'failure', result = 'x', closed_at = 1, undone_by = 'u' WHERE task_id = 'open'`],
    ['a doubtful success', `UPDATE attempt SET state = 'success', result = 'x', outcome_identity = 'x', closed_at = 1, doubtful = 1 WHERE task_id = 'open'`],
    ['a sealed rename', `UPDATE attempt SET stage = 'sealed', sealed_identity = 'x', sealed_sha256 = printf('%064d', 0) WHERE task_id = 'open'`],
    ['an unknown state', `UPDATE attempt SET state = 'lost' WHERE task_id = 'open'`],
    ['a vault place without attempt', `INSERT INTO vault (base, name, task_id, n, bytes, since) VALUES ('b', 'n', 'nobody', 1, 1, 1)`],
    ['negative bytes', `INSERT INTO vault (base, name, task_id, n, bytes, since) VALUES ('b', 'n', 'open', 1, -1, 1)`],
  ])('refuses %s, whatever program writes', (_, sql) => {
    run([open('done'), close('done'), open('open')]);
    expect(() => db.exec(sql)).toThrow(/constraint failed|does not change|not deleted/i);
  });
});
