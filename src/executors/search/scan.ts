import type { DatasetScope, FilesScope, Found, ImapScope, MailFolderScope, ScanAnswer, ScanRequest } from '../../core/ports/index.ts';
import { ScanError } from './scan-error.ts';

/**
 * One scan, from its request to its answer: what the process of a search does. Never rejects: whatever a source throws
 * that it did not foresee is an I/O or corruption error (search-executor.md 11). Its text may name places of this host, so
 * only its code is answered.
 *
 * @param report told of what was not foreseen
 */
export async function scan({ scope, ...question }: ScanRequest, scans: Scans, report: (error: unknown) => void): Promise<ScanAnswer> {
  try {
    return { ok: true, found: await find(scope, question, scans) };
  } catch (error) {
    if (error instanceof ScanError) return { ok: false, code: error.code, message: error.message };
    report(error);
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no code';
    return { ok: false, code: 'EXECUTION_FAILED', message: `the source could not be read to its end (${code})` };
  }
}

function find(scope: ScanRequest['scope'], question: ScanQuery, scans: Scans): Promise<Found> {
  switch (scope.kind) {
    case 'files':
      return scans.files(scope, question);
    case 'emails':
      return scans.emails(scope, question);
    case 'datasets':
      return scans.datasets(scope, question);
  }
}

/** What a scan looks for, whatever the kind of its scope. */
export interface ScanQuery {
  readonly query: string;
  readonly maxResults: number;
}

/** A scan of one kind of scope. Throws ScanError when there is no answer. */
export type Scan<S> = (scope: S, question: ScanQuery) => Promise<Found>;

/** The three scans of the search executor, as bin wires them with their adapters. */
export interface Scans {
  readonly files: Scan<FilesScope>;
  readonly emails: Scan<MailFolderScope | ImapScope>;
  readonly datasets: Scan<DatasetScope>;
}
