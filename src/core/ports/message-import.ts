import type { IMPORT_FORMATS, IngestOp } from '../../contracts/index.ts';
import type { ImportMark } from './message-ingest.ts';

export type ImportFormat = (typeof IMPORT_FORMATS)[number];

/** One record of a source: what it asks for, or why it is left out. */
export type ImportRecord = {
  /** For `ImportSource.records`: go on behind this record. */
  readonly position: string;
  /** How far the source is read then, in its unit. */
  readonly read: number;
  /** Told again by a run that goes on behind it (the project of a mailbox, the people of a database): it is not counted as a record. */
  readonly isAgain?: boolean;
} & ({ readonly ops: readonly IngestOp[] } | { readonly bad: string; readonly where: string });

/** A place that messages come from. */
export interface ImportSource extends AsyncDisposable {
  readonly format: ImportFormat;
  /** Unique for the source on this host and the project that it goes to: its format, path and project. */
  readonly name: string;
  /** What `read` counts, and how much there is, if that is known. */
  readonly unit: 'bytes' | 'messages';
  readonly total: number | undefined;
  /**
   * Whether the source says all that there is: each run reads the whole of it, and what it has told of before and tells of no
   * more is deleted. The others only grow, and a run goes on where the one before ended.
   */
  readonly follows: boolean;
  /** Whether everything before a position of an earlier run is as it was then, so that a run may go on behind it. */
  fits(position: string): Promise<boolean>;
  /** From the beginning, or behind a position that fits. */
  records(after: string | undefined): AsyncIterable<ImportRecord>;
}

export interface ImportOptions {
  /** Found out unless it is said. */
  readonly format: ImportFormat | undefined;
  /** Slug of the project for what names none; of a mailbox, the name of its file or directory unless it is said. */
  readonly project: string | undefined;
}

/** Opens what is imported, and knows how far earlier runs came. */
export interface MessageImporter {
  /** Throws WritError NOT_FOUND, INVALID_ARGUMENT. */
  open(path: string, options: ImportOptions): Promise<ImportSource>;
  /** How far an earlier run came; undefined when there was none. */
  mark(name: string): Promise<ImportMark | undefined>;
}
