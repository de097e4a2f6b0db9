import type { SqliteDatabase } from '../../../adapters/sqlite/open.ts';
import type { IngestOp } from '../../../contracts/index.ts';
import type { Names } from './names.ts';
import type { Stamps } from './stamps.ts';

/** What the writers of the single operations share. */
export interface WriteParts {
  readonly db: SqliteDatabase;
  readonly names: Names;
  readonly stamps: Stamps;
}

/** What one operation did; `id` of a message, `times` where it did that to several. What is noted of an import counts nowhere. */
export type Done =
  | { readonly what: 'inserted' | 'updated' | 'deleted' | 'unchanged'; readonly id?: number; readonly documents?: number; readonly times?: number }
  | { readonly what: 'noted' }
  | { readonly what: 'refused'; readonly why: string };

export type OpKind = IngestOp['op'];
export type OpOf<K extends OpKind> = Extract<IngestOp, { readonly op: K }>;

export const UNCHANGED: Done = { what: 'unchanged' };
export const NOTED: Done = { what: 'noted' };

export function refused(why: string): Done {
  return { what: 'refused', why };
}
