import type { Json } from '../../../core/json.ts';
import type { FinishedTask } from '../../../core/ports/executor.ts';
import type { Incident } from '../../../core/ports/journal.ts';
import type { SqliteDatabase } from '../open.ts';
import { trimming } from '../trim.ts';
import type { JournalOperations } from './journal-requests.ts';
import { type AttemptRow, basePath, finishedEffect, openAttempt } from './journal-rows.ts';
import { SQL } from './journal-statements.ts';

export type JournalReads = Pick<
  JournalOperations,
  'view' | 'openAttempts' | 'successes' | 'incidents' | 'openIncidents' | 'vaultEntries' | 'vaultUsage' | 'counts' | 'trimmedTasks'
>;

interface SuccessRow {
  readonly task_id: string;
  readonly manifest_sha256: string;
  readonly result: string;
  readonly exp: number;
}
interface IncidentRow {
  readonly task_id: string;
  readonly what: string;
  readonly details: string;
  readonly at: number;
}
interface VaultRow {
  readonly base: string;
  readonly name: string;
  readonly task_id: string;
  readonly bytes: number;
  readonly since: number;
  readonly original_base: string;
  readonly original_path: string;
}

/** The questions that the journal answers, over a connection that may be read-only. */
export function journalReads(db: SqliteDatabase): JournalReads {
  const attempts = db.prepare<{ taskId: string }, { attempts: number }>(SQL.attempts);
  const openOf = db.prepare<{ taskId: string }, AttemptRow>(SQL.openOf);
  const successOf = db.prepare<{ taskId: string }, AttemptRow>(SQL.successOf);
  const doubtfulOf = db.prepare<{ taskId: string }, { manifest_sha256: string; jti: string; result: string }>(SQL.doubtfulOf);
  const allOpen = db.prepare<[], AttemptRow>(SQL.allOpen);
  const successes = db.prepare<{ after: string; limit: number }, SuccessRow>(SQL.successes);
  const incidents = db.prepare<{ limit: number }, IncidentRow>(SQL.incidents);
  const openIncidents = db.prepare<{ limit: number }, IncidentRow>(SQL.openIncidents);
  const entries = db.prepare<{ base: string | null; before: number | null; after: string; afterName: string; limit: number }, VaultRow>(SQL.vaultEntries);
  const usage = db.prepare<[], { base: string; bytes: number; files: number }>(SQL.vaultUsage);
  const trimmed = trimming(db, SQL.summary);
  const tally = db.prepare<[], { what: string; rows: number }>(SQL.tally);

  const rowsOf = (): ReadonlyMap<string, number> => new Map(tally.all().map((row) => [row.what, row.rows]));

  return {
    view(taskId) {
      const count = attempts.get({ taskId })?.attempts ?? 0;
      // Most tasks are new: one look tells.
      if (count === 0) return { attempts: 0, open: undefined, success: undefined, doubtful: undefined, trimmed: undefined };
      const open = openOf.get({ taskId });
      const success = successOf.get({ taskId });
      const last = doubtfulOf.get({ taskId });
      return {
        attempts: count,
        open: open && openAttempt(open),
        success: success && finishedEffect(success),
        doubtful: last && { manifestSha256: last.manifest_sha256, jti: last.jti, result: last.result },
        trimmed: open === undefined && success === undefined ? trimmed.done(taskId) : undefined,
      };
    },

    openAttempts: () => allOpen.all().map(openAttempt),

    // Task ids are never empty, so '' comes before the first.
    successes: (after, limit) => successes.all({ after: after ?? '', limit }).map(finishedTask),

    incidents: (limit) => incidents.all({ limit }).map(incidentOf),

    openIncidents: (limit) => openIncidents.all({ limit }).map(incidentOf),

    vaultEntries: (filter, after, limit) =>
      entries.all({ base: filter.base ?? null, before: filter.before ?? null, after: after?.taskId ?? '', afterName: after?.name ?? '', limit }).map((row) => ({
        base: row.base,
        name: row.name,
        taskId: row.task_id,
        original: basePath(row.original_base, row.original_path),
        bytes: row.bytes,
        since: row.since,
      })),

    vaultUsage: () => usage.all(),

    counts() {
      const rows = rowsOf();
      const of = (what: string): number => rows.get(what) ?? 0;
      return { open: of('open'), success: of('success'), failure: of('failure'), incidents: of('incident') };
    },

    trimmedTasks: () => rowsOf().get('trimmed') ?? 0,
  };
}

function incidentOf(row: IncidentRow): Incident & { readonly at: number } {
  return { taskId: row.task_id, what: row.what, details: JSON.parse(row.details) as Json, at: row.at };
}

function finishedTask(row: SuccessRow): FinishedTask {
  return { taskId: row.task_id, manifestSha256: row.manifest_sha256, result: row.result, exp: row.exp };
}
