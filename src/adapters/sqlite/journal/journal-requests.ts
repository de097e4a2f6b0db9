import type { ErrorCode } from '../../../core/errors.ts';
import type { FileJournal } from '../../../core/ports/journal.ts';

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
  close: true,
  openAttempts: false,
  successes: false,
  reportIncident: true,
  incidents: false,
  vaultEntries: false,
  vaultUsage: false,
  vaultForget: true,
  counts: false,
} satisfies Record<JournalOperation, boolean>;

/** What the thread answers: a batch at a time. */
export interface JournalCalls {
  run(requests: readonly JournalRequest[]): readonly JournalReply[];
}
