import { z } from 'zod';
import type { DatasetMatch } from '../../core/ports/dataset-source.ts';
import { keyOf } from './key-text.ts';
import { BrokenDataSet, type KeyReading, type Layout } from './layout.ts';
import { FirstMatches, firstSql, parameters, recordsSql } from './scan-sql.ts';
import type { Session } from './session.ts';
import { refuseRepeated } from './unique.ts';
import { MAX_AT_ONCE, refuseUnlessHolds, searchParts } from './wide.ts';

/** What the one row of the scan holds. The last is NULL when nothing matches. */
const ScanRow = z.tuple([z.bigint(), z.bigint(), z.bigint(), z.bigint(), z.bigint(), FirstMatches]);

/** One pass over the file for the matches, what is wrong with keys, and how many different ones there are; more only if keys may repeat. Throws Broken. */
export async function search(
  session: Session,
  layout: Layout,
  query: string,
  maxResults: number,
): Promise<{ count: number; matches: readonly DatasetMatch[] }> {
  const { key, count, first } = await (isWide(layout) ? scanWide : scanRecords)(session, layout, query, maxResults);
  return { count, matches: first.map(({ id, field, text }) => ({ key: keyOf(id, key.kind), field: layout.texts[field]?.name ?? '', text })) };
}

function isWide({ texts, mustHold }: Layout): boolean {
  return texts.length + mustHold.length > MAX_AT_ONCE;
}

/** As `scanRecords`, with a pass for the keys and others for some columns at a time. */
async function scanWide(session: Session, layout: Layout, query: string, maxResults: number) {
  await refuseUnlessHolds(session, layout);
  const { key } = await scanRecords(session, { ...layout, texts: [], mustHold: [] }, query, maxResults);
  return { key, ...(await searchParts(session, layout, key, query, maxResults)) };
}

/** The matches, and the reading of the key that fits all records. Throws Broken also where a key repeats. */
async function scanRecords(session: Session, layout: Layout, query: string, maxResults: number) {
  for (const key of layout.keys) {
    const rows = await session.rows(scanSql(layout, key, query, maxResults), parameters(layout, query));
    const [count, badKeys, broken, records, identities, first] = ScanRow.parse(rows[0]);
    if (broken > 0n) throw new BrokenDataSet('a column that is declared numeric holds something else');
    if (badKeys > 0n) continue;
    if (identities < records) await refuseRepeated(session, layout.from, key);
    return { key, count: Number(count), first: first ?? [] };
  }
  throw new BrokenDataSet('a record has no usable primary key');
}

/**
 * One aggregate over the whole file: no record is kept but the first `maxResults` matches, and of those no more text
 * than a snippet can show; and the identity of each key, 8 or 16 bytes, which spills.
 */
function scanSql(layout: Layout, key: KeyReading, query: string, maxResults: number): string {
  const holds = layout.mustHold.length === 0 ? 'true' : layout.mustHold.join(' AND ');
  return `
    SELECT count(field), count(*) FILTER (NOT good), count(*) FILTER (NOT holds), count(*), count(DISTINCT identity),
      ${firstSql(layout, key, query, maxResults)}
    FROM (${recordsSql(layout, key, holds)})`;
}
