import type { Query } from '../../../adapters/postgresql/open.ts';
import type { RecipientKind } from '../../../contracts/index.ts';
import type { MessageRecipients, RecipientsRequest } from '../../../core/ports/message-recipients.ts';
import { all, type Sql, sql } from '../../visibility/sql.ts';
import { admit, type Resolved, resolve } from './access.ts';

const NO_FILTERS = { agent_name: null, sender_name: null, recipient_name: null };

/** Who got the messages of a page, under the row-level security of whoever asks; the same as `store/recipients.ts` reads in SQLite. */
export async function recipientsIn(query: Query, { ids, scope, now_us }: RecipientsRequest): Promise<ReadonlyMap<number, MessageRecipients>> {
  const resolved = await resolve(query, { scope, filters: NO_FILTERS }, now_us);
  await admit(query, { kind: 'message', scope }, resolved);
  const found = new Map<number, Record<RecipientKind, string[]>>();
  for (const [message, kind, name] of await query(recipientsStatement(ids, knownBcc(scope, resolved)))) {
    const lists = found.get(Number(message)) ?? { to: [], cc: [], bcc: [] };
    lists[String(kind) as RecipientKind].push(String(name));
    found.set(Number(message), lists);
  }
  return found;
}

/** Rows [message, kind, name] in the order of code points. */
function recipientsStatement(ids: readonly number[], bcc: Sql): Sql {
  const page = `{${ids.join()}}`;
  return sql`SELECT r.message, r.kind, a.name FROM (
      SELECT m.id AS message, CASE WHEN t.id = ANY (m.cc) THEN 'cc' ELSE 'to' END AS kind, t.id AS agent
        FROM messages m CROSS JOIN LATERAL unnest(m.recipients) t (id) WHERE m.id = ANY (${page}::bigint[])
      UNION ALL SELECT m.id, 'bcc', t.id FROM messages m CROSS JOIN LATERAL unnest(m.bcc) t (id) WHERE m.id = ANY (${page}::bigint[]) AND ${bcc}) r
    JOIN agents a ON a.id = r.agent ORDER BY a.name COLLATE "C", a.id`;
}

/** Who is in Bcc is known to the sender and to themselves; every viewer of the search must know it. */
function knownBcc(scope: RecipientsRequest['scope'], { viewers }: Resolved): Sql {
  if (viewers.length === 0) return scope.granted === undefined ? sql`true` : sql`false`;
  return all(viewers.map(({ agents }) => sql`(m.sender_id = ANY (${agents}::bigint[]) OR t.id = ANY (${agents}::bigint[]))`));
}
