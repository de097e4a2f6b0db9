import { z } from 'zod';
import { codePointLength } from '../../core/code-points.ts';
import type { KeyReading, TextColumn } from './layout.ts';

/** A match as DuckDB gives it: the text of its key, the place of its field in the texts of the statement, and what a snippet is made of. */
const FirstMatch = z.object({ id: z.string(), field: z.number(), text: z.string() });
export type FirstMatch = z.infer<typeof FirstMatch>;
export const FirstMatches = z.array(FirstMatch).nullable();

/** Code points that a snippet may need on either side of a match. */
const AROUND = 100;

/** What of a file a statement reads. */
export interface Part {
  readonly from: string;
  /** The query is the parameter `$query`, which stands in the statement once there are any. */
  readonly texts: readonly TextColumn[];
}

/** SQL of a file's records: `key`, `good`, `identity`, the place in `texts` of the first that matches as `field`, and its `text`. */
export function recordsSql({ from, texts }: Part, key: KeyReading, holds = 'true'): string {
  const field = arms('CASE', texts, ({ column }, place) => `WHEN contains(${column}, $query) THEN ${place}`);
  const text = arms('CASE field', texts, ({ column }, place) => `WHEN ${place} THEN ${column}`);
  // Every column that a statement names costs time, the star names all, and a file may have 10,000.
  const columns = texts.map(({ column }) => `${column}, `).join('');
  return `SELECT key, good, holds, identity, field, ${text}::VARCHAR AS text FROM (
    SELECT ${columns}${key.value} AS key, ${key.isGood} AS good, (${holds}) AS holds, ${key.identity} AS identity, ${field}::INTEGER AS field FROM ${from})`;
}

/**
 * SQL of an aggregate over these records: the first matches by key, and of their texts no more than a snippet can show.
 * NULL where nothing matches.
 */
export function firstSql({ texts }: Part, { written = 'key::VARCHAR' }: KeyReading, query: string, maxResults: number): string {
  const length = codePointLength(query) + 2 * AROUND;
  const text = texts.length === 0 ? "''" : `substr(text, greatest(instr(text, $query) - ${AROUND}, 1), ${length})`;
  return `arg_min({id: ${written}, field: field, text: ${text}}, key, ${maxResults}) FILTER (field IS NOT NULL AND good)`;
}

/** `query` as parameters of a statement: DuckDB refuses one that the statement does not name. */
export function parameters({ texts }: Part, query: string): Record<string, string> {
  return texts.length === 0 ? {} : { query };
}

function arms(start: string, texts: readonly TextColumn[], arm: (text: TextColumn, place: number) => string): string {
  return texts.length === 0 ? 'NULL' : `${start} ${texts.map(arm).join(' ')} END`;
}
