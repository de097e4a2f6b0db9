import { z } from 'zod';
import { codePointLength } from '../../core/code-points.ts';
import type { DatasetKey, DatasetMatch } from '../../core/ports/dataset-source.ts';
import { BrokenDataSet, type KeyReading, type Layout } from './layout.ts';
import type { Session } from './session.ts';
import { refuseRepeated } from './unique.ts';

/** Code points that a snippet may need on either side of a match. */
const AROUND = 100;

/** What the one row of the scan holds. `first` is NULL when nothing matches. */
const ScanRow = z.tuple([
  z.bigint(),
  z.bigint(),
  z.bigint(),
  z.bigint(),
  z.bigint(),
  z.array(z.object({ id: z.string(), field: z.number(), text: z.string() })).nullable(),
]);

/** One pass over the file for the matches, what is wrong with keys, and how many different ones there are; more only if keys may repeat. Throws Broken. */
export async function search(
  session: Session,
  layout: Layout,
  query: string,
  maxResults: number,
): Promise<{ count: number; matches: readonly DatasetMatch[] }> {
  const { key, count, first, mayRepeat } = await scanWithKeys(session, layout, query, maxResults);
  if (mayRepeat) await refuseRepeated(session, layout.from, key.identity);
  const matches = first.map(({ id, field, text }) => ({ key: KEY_OF[key.kind](id), field: layout.texts[field]?.name ?? '', text }));
  return { count, matches };
}

/** Tries the readings of the key in turn. */
async function scanWithKeys(session: Session, layout: Layout, query: string, maxResults: number) {
  for (const key of layout.keys) {
    const rows = await session.rows(scanSql(layout, key, query, maxResults), { query });
    const [count, badKeys, broken, records, identities, first] = ScanRow.parse(rows[0]);
    if (broken > 0n) throw new BrokenDataSet('a column that is declared numeric holds something else');
    if (badKeys === 0n) return { key, count: Number(count), first: first ?? [], mayRepeat: identities < records };
  }
  throw new BrokenDataSet('a record has no usable primary key');
}

/**
 * One aggregate over the whole file: no record is kept but the first `maxResults` matches, and of those no more text
 * than a snippet can show; and the identity of each key, 8 or 16 bytes, which spills.
 */
function scanSql({ from, texts, mustHold }: Layout, key: KeyReading, query: string, maxResults: number): string {
  const matches = texts.map(({ column }, place) => `WHEN contains(${column}, $query) THEN ${place}`).join(' ');
  const field = texts.length === 0 ? 'NULL::INTEGER' : `CASE ${matches} END`;
  const length = codePointLength(query) + 2 * AROUND;
  const excerpts = texts.map(({ column }, place) => `WHEN ${place} THEN substr(${column}, greatest(instr(${column}, $query) - ${AROUND}, 1), ${length})`);
  const text = texts.length === 0 ? "''" : `CASE field ${excerpts.join(' ')} END`;
  const holds = mustHold.length === 0 ? 'true' : mustHold.join(' AND ');
  return `
    SELECT count(field), count(*) FILTER (NOT good), count(*) FILTER (NOT holds), count(*), count(DISTINCT identity),
      arg_min({id: key::VARCHAR, field: field, text: ${text}}, key, ${maxResults}) FILTER (field IS NOT NULL AND good)
    FROM (SELECT *, ${key.value} AS key, ${key.isGood} AS good, (${holds}) AS holds, ${key.identity} AS identity, ${field} AS field FROM ${from})`;
}

/** From DuckDB's text of a key to the key. */
const KEY_OF = {
  text: (text) => text,
  integer: (text) => BigInt(text),
  double: (text) => Number(text),
  decimal: (text) => (text.includes('.') ? text.replace(/\.?0+$/u, '').replace(/^-0$/u, '0') : text),
} satisfies Record<KeyReading['kind'], (text: string) => DatasetKey>;
