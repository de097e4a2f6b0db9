import { BrokenDataSet, type KeyReading } from './layout.ts';
import type { Session } from './session.ts';

/**
 * Refuses a file in which two records have one key; exact whatever the size. Grouping spills to the private folder.
 *
 * Keys of any length are grouped by their hash, 8 bytes instead of all of them. Those with one hash are then compared themselves.
 */
export async function refuseRepeated(session: Session, from: string, { identity, exact }: KeyReading): Promise<void> {
  const suspects = await session.rows(`SELECT id FROM (SELECT ${identity} AS id FROM ${from}) GROUP BY id HAVING count(*) > 1 LIMIT ${MAX}`);
  if (suspects.length === 0) return;
  if (exact === undefined) throw repeated();
  // So many collisions are no accident: everything is compared.
  const some = suspects.length < MAX ? `WHERE ${identity} IN (${suspects.map(([hash]) => `${String(hash)}::UBIGINT`).join(', ')})` : '';
  const pairs = await session.rows(`SELECT 1 FROM (SELECT ${exact} AS id FROM ${from} ${some}) GROUP BY id HAVING count(*) > 1 LIMIT 1`);
  if (pairs.length > 0) throw repeated();
}

const MAX = 1000;

function repeated(): BrokenDataSet {
  return new BrokenDataSet('the primary key is not unique');
}
