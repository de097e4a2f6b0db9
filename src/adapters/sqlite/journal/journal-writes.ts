import { WritError } from '../../../core/errors.ts';
import type { SqliteDatabase } from '../open.ts';
import { trimming } from '../trim.ts';
import type { JournalOperations } from './journal-requests.ts';
import { type AttemptRow, type ClosedRow, type IntentRow, identityText, intentRow } from './journal-rows.ts';
import { SQL } from './journal-statements.ts';
import { vaultBooks } from './journal-vault.ts';

export type JournalWrites = Omit<
  JournalOperations,
  'view' | 'openAttempts' | 'successes' | 'incidents' | 'openIncidents' | 'vaultEntries' | 'vaultUsage' | 'counts' | 'trimmedTasks'
>;

interface Attempt {
  readonly taskId: string;
  readonly n: number;
}

/**
 * What changes the journal. Every function runs inside a write transaction of the caller's, so what it reads is still
 * so when it writes; the unique indexes and CHECKs of the schema stand behind it.
 */
export function journalWrites(db: SqliteDatabase): JournalWrites {
  const attempts = db.prepare<{ taskId: string }, { attempts: number }>(SQL.attempts);
  const openOf = db.prepare<{ taskId: string }, AttemptRow>(SQL.openOf);
  const successOf = db.prepare<{ taskId: string }, AttemptRow>(SQL.successOf);
  const insertAttempt = db.prepare<IntentRow>(SQL.insertAttempt);
  const seal = db.prepare<Attempt & { identity: string; sha256: string | null }>(SQL.seal);
  const publish = db.prepare<Attempt>(SQL.publish);
  const adopt = db.prepare<Attempt & { from: string; instance: string; pid: number; startTime: string }>(SQL.adopt);
  const close = db.prepare<Attempt & { state: string; result: string; identity: string | null; doubtful: 0 | 1; now: number }, ClosedRow>(SQL.close);
  const withdraw = db.prepare<Attempt & { now: number }, ClosedRow>(SQL.withdraw);
  const markOne = db.prepare<{ taskId: string; by: string }>(SQL.markUndone);
  const standAgain = db.prepare<{ taskId: string; identity: string }>(SQL.standAgain);
  const insertIncident = db.prepare<{ taskId: string; what: string; details: string; now: number }>(SQL.insertIncident);
  const trimmed = trimming(db, SQL.summary);
  const vault = vaultBooks(db);

  /**
   * `taskId` took `undone` back. If that was an undo itself, the task below it stands again; if that one was an undo
   * too, what lies below it is undone once more: the standing flag alternates down the chain. `identity` is the file's that
   * stands now, for the closed task and for every one that stands again with it.
   */
  function markUndone(undone: string, taskId: string, identity: string): void {
    const seen = new Set<string>();
    let target: string | null = undone;
    let by = taskId;
    while (target !== null && !seen.has(target)) {
      seen.add(target);
      markOne.run({ taskId: target, by });
      const restored: string | null = successOf.get({ taskId: target })?.undo_of ?? null;
      if (restored === null) return;
      standAgain.run({ taskId: restored, identity });
      by = restored;
      target = successOf.get({ taskId: restored })?.undo_of ?? null;
    }
  }

  return {
    open(intent, reservation, now) {
      const { taskId } = intent;
      const last = attempts.get({ taskId })?.attempts ?? 0;
      if (last > 0 && (openOf.get({ taskId }) ?? successOf.get({ taskId }) ?? trimmed.done(taskId)) !== undefined) return { kind: 'conflict' };
      // Before the row is written: rows are never taken back.
      if (!vault.hasRoom(intent, reservation)) return { kind: 'quota' };
      const n = last + 1;
      insertAttempt.run(intentRow(intent, n, now));
      vault.reserve(intent, n, reservation?.bytes ?? 0, now);
      return { kind: 'opened', n };
    },

    seal(taskId, n, sealed) {
      changed(seal.run({ taskId, n, identity: identityText(sealed), sha256: sealed.sha256 ?? null }).changes, 'seal', taskId, n);
    },

    publish(taskId, n) {
      changed(publish.run({ taskId, n }).changes, 'publish', taskId, n);
    },

    adopt: (taskId, n, from, to) => adopt.run({ taskId, n, from, instance: to.instance, pid: to.pid, startTime: to.startTime }).changes === 1,

    withdraw(taskId, n, now) {
      const withdrawn = withdraw.get({ taskId, n, now });
      if (withdrawn === undefined) throw notOpen('withdraw', taskId, n);
      vault.settle(taskId, n, withdrawn, false, now);
    },

    close(taskId, n, end, now) {
      const identity = end.state === 'success' ? identityText(end.outcomeIdentity) : null;
      const doubtful = end.state === 'failure' && end.doubtful ? 1 : 0;
      const closed = close.get({ taskId, n, state: end.state, result: end.result, identity, doubtful, now });
      if (closed === undefined) throw notOpen('close', taskId, n);
      vault.settle(taskId, n, closed, identity !== null, now);
      if (end.state === 'failure' && end.withdrawn !== undefined) vault.book(taskId, n, end.withdrawn, now);
      if (identity !== null && closed.undo_of !== null) markUndone(closed.undo_of, taskId, identity);
    },

    reportIncident(incident, now) {
      insertIncident.run({ taskId: incident.taskId, what: incident.what, details: JSON.stringify(incident.details), now });
    },

    vaultForget: (base, name) => vault.forget(base, name),

    trim: trimmed.trim,
  };
}

/** A step that changes no row was asked of an attempt that is not in the state for it: the caller is wrong about it. */
function changed(changes: number, step: string, taskId: string, n: number): void {
  if (changes !== 1) throw notOpen(step, taskId, n);
}

function notOpen(step: string, taskId: string, n: number): WritError {
  return new WritError('WRONG_STATE', `cannot ${step} attempt ${n} of task ${taskId}: it is not open, or not at the stage for it`);
}
