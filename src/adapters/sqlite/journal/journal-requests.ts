import { type ErrorCode, WritError } from '../../../core/errors.ts';
import type { Lifecycle } from '../../../core/lifecycle.ts';
import type { FileJournal } from '../../../core/ports/journal.ts';
import type { Settled } from './journal-group-commit.ts';

export interface SqliteFileJournal extends FileJournal, Lifecycle {
  /** Random name of this journal file, made with it. Throws WritError STORAGE_UNAVAILABLE before the first `start`. */
  dataId(): string;
}

/** The port again, as data that travels between the caller's thread and the journal's. */
export type JournalOperation = keyof FileJournal;
export type JournalArguments = { [K in JournalOperation]: Parameters<FileJournal[K]> };
export type JournalAnswers = { [K in JournalOperation]: Awaited<ReturnType<FileJournal[K]>> };

/** The port without promises, as the thread that owns the database has it. */
export type JournalOperations = { [K in JournalOperation]: (...args: JournalArguments[K]) => JournalAnswers[K] };

export interface RequestOf<K extends JournalOperation> {
  readonly op: K;
  readonly args: JournalArguments[K];
}
export type JournalRequest = { [K in JournalOperation]: RequestOf<K> }[JournalOperation];

export type JournalReply = { readonly ok: true; readonly answer: unknown } | { readonly ok: false; readonly code: ErrorCode; readonly message: string };

/** Whether an operation writes: only then the batch takes the write lock and ends with an fsync. */
export const WRITES = {
  view: false,
  open: true,
  seal: true,
  publish: true,
  adopt: true,
  withdraw: true,
  close: true,
  openAttempts: false,
  successes: false,
  reportIncident: true,
  openIncidents: false,
  incidents: false,
  vaultEntries: false,
  vaultUsage: false,
  vaultForget: true,
  counts: false,
  trim: true,
  trimmedTasks: false,
} satisfies Record<JournalOperation, boolean>;

/** What the thread answers: a batch at a time. */
export interface JournalCalls {
  run(requests: readonly JournalRequest[]): readonly JournalReply[];
}

/** The port over something that answers requests: every operation, with the arguments that it was called with. */
export function journalPort(answer: (request: JournalRequest) => Promise<unknown>): FileJournal {
  const methods = Object.keys(WRITES).map((op) => [op, (...args: unknown[]) => answer({ op, args } as JournalRequest)]);
  // WRITES names every operation of the port; that op and args fit together is what the port's own types say to callers.
  return Object.fromEntries(methods) as FileJournal;
}

export function settled(reply: JournalReply): Settled {
  return reply.ok ? { answer: reply.answer } : { error: new WritError(reply.code, reply.message) };
}

export function notRunning(): WritError {
  return new WritError('STORAGE_UNAVAILABLE', 'the journal is not running');
}
