import { WritError } from '../../../core/errors.ts';
import type { BasePath, FileIdentity, FileIntent, FileMethod, FileOperation, FinishedEffect, OpenAttempt } from '../../../core/ports/journal.ts';

/** The columns of an intent. */
export interface IntentRow {
  readonly task_id: string;
  readonly n: number;
  readonly manifest_sha256: string;
  readonly jti: string;
  readonly exp: number;
  readonly kid: string;
  readonly instance: string;
  readonly pid: number;
  readonly start_time: string;
  readonly operation: FileOperation;
  readonly method: FileMethod;
  readonly source_base: string;
  readonly source_path: string;
  readonly destination_base: string;
  readonly destination_path: string;
  readonly source_identity: string;
  readonly temporary: string | null;
  readonly retired_base: string | null;
  readonly retired_path: string | null;
  readonly undo_of: string | null;
  readonly opened_at: number;
}

/** A row of `attempt`. */
export interface AttemptRow extends IntentRow {
  readonly stage: 'intent' | 'sealed' | 'published';
  readonly sealed_identity: string | null;
  readonly sealed_sha256: string | null;
  readonly state: 'open' | 'success' | 'failure';
  readonly closed_at: number | null;
  readonly result: string | null;
  readonly outcome_identity: string | null;
  readonly standing_identity: string | null;
  readonly undone_by: string | null;
}

/** What closing an attempt has to know of it. */
export type ClosedRow = Pick<AttemptRow, 'undo_of' | 'source_base' | 'source_path' | 'destination_path' | 'retired_path'>;

export function intentRow(intent: FileIntent, n: number, now: number): IntentRow {
  return {
    task_id: intent.taskId,
    n,
    manifest_sha256: intent.manifestSha256,
    jti: intent.authority.jti,
    exp: intent.authority.exp,
    kid: intent.authority.kid,
    instance: intent.process.instance,
    pid: intent.process.pid,
    start_time: intent.process.startTime,
    operation: intent.operation,
    method: intent.method,
    source_base: intent.source.base,
    source_path: pathText(intent.source),
    destination_base: intent.destination.base,
    destination_path: pathText(intent.destination),
    source_identity: identityText(intent.sourceIdentity),
    temporary: intent.temporary ?? null,
    retired_base: intent.retired?.base ?? null,
    retired_path: intent.retired === undefined ? null : pathText(intent.retired),
    undo_of: intent.undoOf ?? null,
    opened_at: now,
  };
}

export function openAttempt(row: AttemptRow): OpenAttempt {
  return {
    taskId: row.task_id,
    n: row.n,
    manifestSha256: row.manifest_sha256,
    authority: { jti: row.jti, exp: row.exp, kid: row.kid },
    process: { instance: row.instance, pid: row.pid, startTime: row.start_time },
    operation: row.operation,
    method: row.method,
    source: basePath(row.source_base, row.source_path),
    destination: basePath(row.destination_base, row.destination_path),
    sourceIdentity: identity(row.source_identity),
    temporary: row.temporary ?? undefined,
    retired: row.retired_base === null || row.retired_path === null ? undefined : basePath(row.retired_base, row.retired_path),
    undoOf: row.undo_of ?? undefined,
    stage: row.stage,
    sealed: row.sealed_identity === null ? undefined : { ...identity(row.sealed_identity), sha256: row.sealed_sha256 ?? undefined },
  };
}

export function finishedEffect(row: AttemptRow): FinishedEffect {
  if (row.result === null || row.outcome_identity === null) throw new WritError('INTERNAL', `the journal row of ${row.task_id} is no success`);
  return {
    taskId: row.task_id,
    manifestSha256: row.manifest_sha256,
    result: row.result,
    operation: row.operation,
    source: basePath(row.source_base, row.source_path),
    destination: basePath(row.destination_base, row.destination_path),
    outcomeIdentity: identity(row.standing_identity ?? row.outcome_identity),
    undoOf: row.undo_of ?? undefined,
    undoneBy: row.undone_by ?? undefined,
  };
}

export function basePath(base: string, path: string): BasePath {
  return { base, segments: path.split('/') };
}

/** Segments are single names, so joining them with `/` loses nothing; anything else is a bug of the caller. */
export function pathText(path: BasePath): string {
  if (path.segments.length === 0 || path.segments.some((segment) => segment === '' || /[/\0]/.test(segment))) {
    throw new WritError('INTERNAL', 'a journalled path must consist of non-empty names without slash');
  }
  return path.segments.join('/');
}

export function identityText(file: FileIdentity): string {
  const fields = [file.dev, file.ino, file.size, file.mtimeNs, file.ctimeNs];
  if (!fields.every((field) => /^-?\d+$/.test(field))) throw new WritError('INTERNAL', 'a file identity must consist of decimal integers');
  return fields.join(' ');
}

function identity(text: string): FileIdentity {
  const [dev, ino, size, mtimeNs, ctimeNs] = text.split(' ');
  if (dev === undefined || ino === undefined || size === undefined || mtimeNs === undefined || ctimeNs === undefined) {
    throw new WritError('STORAGE_UNAVAILABLE', 'the journal holds a damaged file identity');
  }
  return { dev, ino, size, mtimeNs, ctimeNs };
}
