import { CorruptSegment } from '../segment/format.ts';

/**
 * Why a snapshot cannot be used; the search goes without it. `CORRUPT`: its bytes are not what was written; `MISSING`: a
 * segment is not there; `REFUSED`: the operating system would not let us, which says nothing about the index.
 */
export interface SnapshotRefusal {
  readonly ok: false;
  readonly why: 'CORRUPT' | 'MISSING' | 'REFUSED';
  readonly message: string;
}

/** How the report of a segment begins that could not be opened or read: the host finds out at once whether that is so. */
export const LOST_SEGMENT = 'a segment is lost: ';

export type Guarded<T> = { readonly ok: true; readonly value: T } | SnapshotRefusal;

/** Runs something that reads segments; damage and refused reads become values. @throws what is neither */
export function guarded<T>(read: () => T): Guarded<T> {
  try {
    return { ok: true, value: read() };
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    return refusal;
  }
}

function refusalOf(error: unknown): SnapshotRefusal | undefined {
  // A length that no array can have is one that we did not write.
  if (error instanceof CorruptSegment || error instanceof RangeError) return { ok: false, why: 'CORRUPT', message: error.message };
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return { ok: false, why: 'REFUSED', message: error.code };
  return undefined;
}
