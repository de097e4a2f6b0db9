import type { DatasetScope, FilesScope, Found, ImapScope, MailFolderScope } from '../../core/ports/index.ts';

/** What a scan looks for, whatever the kind of its scope. */
export interface Question {
  readonly query: string;
  readonly maxResults: number;
}

/** A scan of one kind of scope. Throws ScanError when there is no answer. */
export type Scan<S> = (scope: S, question: Question) => Promise<Found>;

/** The three scans of the search executor, as bin wires them with their adapters. */
export interface Scans {
  readonly files: Scan<FilesScope>;
  readonly emails: Scan<MailFolderScope | ImapScope>;
  readonly datasets: Scan<DatasetScope>;
}
