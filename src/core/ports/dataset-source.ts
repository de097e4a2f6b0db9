import type { DatasetScope, ScanErrorCode } from './search.ts';

/** No answer from a data set; the message names nothing outside of the scope. */
export interface DatasetRefusal {
  readonly ok: false;
  readonly code: ScanErrorCode;
  readonly message: string;
}

/** A primary key: text, or a number. An integer too large for a double is a bigint. */
export type DatasetKey = string | number | bigint;

/** A record with a match. */
export interface DatasetMatch {
  readonly key: DatasetKey;
  /** Name of the first matching field, in code point order of the names. */
  readonly field: string;
  /** The field's value, or what of it lies within 100 code points of its first match. */
  readonly text: string;
}

/** A source that orders, cuts and counts by itself. */
export interface RankedDataset {
  /**
   * Checks every record's key, counts all matches and gives the first `maxResults` by key.
   *
   * @returns a refusal also for a key that is missing, null, NaN, of mixed types or not unique: EXECUTION_FAILED
   */
  first(scope: DatasetScope, query: string, maxResults: number): Promise<RankedMatches | DatasetRefusal>;
}

export interface RankedMatches {
  readonly ok: true;
  readonly count: number;
  readonly matches: readonly DatasetMatch[];
}

/** A source that counts its matches and gives, in any order, those that may be among the first. */
export interface TableDataset {
  /**
   * Checks every record, counts all matches, and hands to `take`, once each, at least the first `maxResults` by key.
   * Blocks the calling thread. Refusals as above; also for a text that is not Unicode.
   */
  read(
    scope: DatasetScope,
    query: string,
    maxResults: number,
    take: (match: DatasetMatch) => void,
  ): { readonly ok: true; readonly count: number } | DatasetRefusal;
}

/** A regular file, opened for reading. */
export interface OpenedBytes {
  readonly ok: true;
  /** All bytes of the file from its beginning; may be asked for again. A chunk is good until the next one is asked for. Throws on I/O errors. */
  chunks(): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

/** Files that are read as bytes. */
export interface FileBytes {
  open(path: string): Promise<OpenedBytes | DatasetRefusal>;
}

/** What a search of data sets reads from. */
export interface DatasetSources {
  /** CSV and Parquet. */
  readonly columns: RankedDataset;
  readonly tables: TableDataset;
  /** JSON Lines. */
  readonly files: FileBytes;
}
