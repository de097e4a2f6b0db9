import type { Lifecycle } from '../lifecycle.ts';

/** A directory whose file names are searched. */
export interface FilesScope {
  readonly kind: 'files';
  /** Absolute path of the directory. */
  readonly path: string;
}

/** Mail on this host: a Maildir, one mbox file, or a folder of .eml files. */
export interface MailFolderScope {
  readonly kind: 'emails';
  readonly store: 'maildir' | 'mbox' | 'eml';
  readonly path: string;
}

/** One mailbox of an IMAP server, read only. */
export interface ImapScope {
  readonly kind: 'emails';
  readonly store: 'imap';
  readonly host: string;
  readonly port: number;
  readonly security: 'tls' | 'starttls';
  readonly user: string;
  /** File that holds the password, read for each search; the password itself is in no setting. */
  readonly passwordFile: string;
  readonly mailbox: string;
  /** PEM file of a certificate authority beside the well-known ones; empty for none. */
  readonly caFile: string;
}

/** Records with a declared primary key. */
export interface DatasetScope {
  readonly kind: 'datasets';
  readonly format: 'csv' | 'jsonl' | 'parquet' | 'sqlite';
  readonly path: string;
  /** Name of the table, for SQLite; empty otherwise. */
  readonly table: string;
  readonly primaryKey: string;
  /** CSV only: columns that are numbers; every other column of a CSV file is text. */
  readonly numeric: readonly string[];
}

/** What a scope identifier stands for (search-executor.md 6). */
export type SearchScope = FilesScope | MailFolderScope | ImapScope | DatasetScope;

/** One search, its inputs judged: the query is trimmed and has 1 to 4096 code points. */
export interface ScanRequest {
  readonly scope: SearchScope;
  readonly query: string;
  /** 1 to 1000. */
  readonly maxResults: number;
}

/** One result entry (search-executor.md 8). */
export interface Hit {
  readonly id: string;
  readonly match_field: string;
  readonly match_snippet: string;
}

/** What a scan found: the first `maxResults` hits in order, and how many there are in all. */
export interface Found {
  readonly count: number;
  readonly hits: readonly Hit[];
}

/** Why a scan has no answer (search-executor.md 11); the message names no path outside of the scope. */
export type ScanErrorCode = 'SCOPE_UNAVAILABLE' | 'EXECUTION_FAILED' | 'RESOURCE_EXHAUSTED';

export type ScanAnswer = { readonly ok: true; readonly found: Found } | { readonly ok: false; readonly code: ScanErrorCode; readonly message: string };

/** Runs scans apart from the caller, under limits of time and memory (design 6). */
export interface Scanner extends Lifecycle {
  /** Never rejects. An aborted scan ends at once, with any answer; the caller knows why from its signal. */
  scan(request: ScanRequest, signal: AbortSignal): Promise<ScanAnswer>;
}
