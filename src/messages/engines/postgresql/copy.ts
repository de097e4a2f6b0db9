import type { Query } from '../../../adapters/postgresql/open.ts';
import type { Position } from '../../store/position.ts';
import { sql } from '../../visibility/sql.ts';
import { ABOVE } from './schema.ts';
import type { Counts } from './scoring.ts';

/** What a server has of the messages, in the state that a transaction reads. */
export interface Copy extends Position {
  /** Raised by every step of the mirror. */
  readonly version: number;
  /** Whether it had everything of the store once; then it lacks what came since, and no more. */
  readonly whole: boolean;
  /** Name of the host that makes it. */
  readonly writer: string;
  /** Of all messages. */
  readonly counts: Counts;
}

/** Why a server cannot be asked for the messages. */
export interface Unfit {
  readonly why: string;
  /** How many changes it lacks, where that is all. */
  readonly behind?: number;
}

const MIRROR = sql`SELECT store, seq, places_version, version, NOT row_security_active('messages'), whole, writer, messages, words FROM mirror`;

const NO_COPY = 'there is no copy in PostgreSQL yet';
/** By the codes of PostgreSQL for a table and a column that are not there. */
const WHY_NOT = new Map<unknown, string>([
  ['42P01', NO_COPY],
  ['42703', 'the copy in PostgreSQL is of an older version of Writ: the host that writes must have this one'],
]);

/** What is there, or why it may not be asked whoever asks. */
export async function copyIn(query: Query): Promise<Copy | Unfit> {
  let row: Awaited<ReturnType<Query>>[0] | undefined;
  try {
    [row] = await query(MIRROR);
  } catch (error) {
    const why = WHY_NOT.get(error instanceof Error && 'code' in error ? error.code : undefined);
    if (why === undefined) throw error;
    return { why };
  }
  if (row === undefined) return { why: NO_COPY };
  const [store, seq, places, version, isAbove, whole, writer, messages, words] = row;
  if (isAbove === true) return { why: ABOVE };
  return {
    store: String(store),
    seq: Number(seq),
    places: Number(places),
    version: Number(version),
    whole: whole === true,
    writer: String(writer),
    counts: { rows: Number(messages), words: Number(words) },
  };
}

/** Whether what was found is no copy that can be asked. */
export function isUnfit(found: Copy | Unfit): found is Unfit {
  return 'why' in found;
}

/**
 * What a copy lacks of a store; `undefined`: nothing that counts. More than the store has is as bad: then the store was put back.
 *
 * @param textsCount whether the texts must be the newest, and not only who may see what
 */
export function unfitFor(copy: Position, store: Position, textsCount: boolean): Unfit | undefined {
  if (copy.store !== store.store) return { why: 'PostgreSQL has a copy of other messages' };
  const [texts, places] = [textsCount ? store.seq - copy.seq : 0, store.places - copy.places];
  if (texts === 0 && places === 0) return undefined;
  if (texts < 0 || places < 0) return { why: 'PostgreSQL has changes that the store has not: the store was put back to what it was before' };
  return { why: 'the copy in PostgreSQL is behind', behind: Math.max(texts, places) };
}

/** Why a copy that was never whole cannot stand for the store. */
export function unfitAlone({ whole }: Copy): Unfit | undefined {
  return whole ? undefined : { why: 'the copy in PostgreSQL is still being made' };
}

/** What a replica lacks of what the primary had before; `undefined`: nothing. */
export function unfitBeside(copy: Copy, primary: Copy): Unfit | undefined {
  if (copy.store !== primary.store) return { why: 'the replica has a copy of other messages' };
  const behind = Math.max(primary.seq - copy.seq, primary.places - copy.places);
  return behind > 0 ? { why: 'the replica is behind', behind } : unfitAlone(copy);
}
