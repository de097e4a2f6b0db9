import { z } from 'zod';
import { BrokenDataSet, type KeyReading, type Layout } from './layout.ts';
import { type FirstMatch, FirstMatches, firstSql, type Part, parameters, recordsSql } from './scan-sql.ts';
import type { Session } from './session.ts';

/** Columns that one statement reads: 2,048 records at a time are held of each, by each thread. */
export const MAX_AT_ONCE = 128;

const PartRow = z.tuple([FirstMatches]);

/** Refuses a file one of whose records breaks a condition of the layout; some columns at a time. Throws Broken. */
export async function refuseUnlessHolds(session: Session, { from, mustHold }: Layout): Promise<void> {
  for (let at = 0; at < mustHold.length; at += MAX_AT_ONCE) {
    const some = mustHold.slice(at, at + MAX_AT_ONCE).join(' AND ');
    const found = await session.rows(`SELECT 1 FROM ${from} WHERE NOT (${some}) LIMIT 1`);
    if (found.length > 0) throw new BrokenDataSet('a column that is declared numeric holds something else');
  }
}

/**
 * The matches of a file with more text columns than one statement can hold: a pass for each part of them, in the order
 * of their names, and a second one where a part matches. The keys of the matches are collected in a table, which spills.
 */
export async function searchParts(session: Session, layout: Layout, key: KeyReading, query: string, maxResults: number) {
  await session.rows(`CREATE TEMP TABLE found AS SELECT key FROM (${recordsSql({ from: layout.from, texts: [] }, key)}) LIMIT 0`);
  let first: readonly FirstMatch[] = [];
  for (let at = 0; at < layout.texts.length; at += MAX_AT_ONCE) {
    const part = { from: layout.from, texts: layout.texts.slice(at, at + MAX_AT_ONCE) };
    const matches = await firstOfPart(session, part, key, query, maxResults);
    if (matches.length === 0) continue;
    await session.rows(`INSERT INTO found SELECT key FROM (${recordsSql(part, key)}) WHERE field IS NOT NULL`, parameters(part, query));
    const placed = matches.map(({ id, field, text }) => ({ id, field: field + at, text }));
    first = await merged(session, key, maxResults, [...first, ...placed]);
  }
  const [[count] = []] = await session.rows('SELECT count(DISTINCT key) FROM found');
  return { count: Number(count), first };
}

async function firstOfPart(session: Session, part: Part, key: KeyReading, query: string, maxResults: number): Promise<readonly FirstMatch[]> {
  const rows = await session.rows(`SELECT ${firstSql(part, key, query, maxResults)} FROM (${recordsSql(part, key)})`, parameters(part, query));
  const [first] = PartRow.parse(rows[0]);
  return first ?? [];
}

/** Of all that was found so far the first by key, each under its first field. What is among the first of all is among the first of its part. */
async function merged(session: Session, { written = 'key::VARCHAR' }: KeyReading, maxResults: number, matches: readonly FirstMatch[]): Promise<FirstMatch[]> {
  const byId = new Map<string, FirstMatch>();
  for (const match of matches) if (!byId.has(match.id)) byId.set(match.id, match);
  const ids = await session.rows(`SELECT ${written} FROM (SELECT DISTINCT key FROM found ORDER BY key LIMIT ${maxResults}) ORDER BY key`);
  return ids.flatMap(([id]) => byId.get(String(id)) ?? []);
}
