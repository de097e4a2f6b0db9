import type { Statement } from 'better-sqlite3';
import type { SqliteDatabase } from '../../adapters/sqlite/open.ts';
import type { RecipientKind } from '../../contracts/index.ts';
import type { MessageRecipients, ReadRecipients, RecipientsRequest } from '../../core/ports/message-recipients.ts';
import { all, joined, NOTHING, type Sql, type SqlValue, sql } from '../visibility/sql.ts';
import { visibilityOf } from '../visibility/visibility.ts';

type Row = readonly [message: number, kind: RecipientKind, name: string];

/**
 * Reads who got the messages of a page, in one statement. It is prepared once for each number of viewers.
 *
 * @param database the database, open for reading; throws while there is none. It stays its owner's.
 */
export function createRecipientsReader(database: () => SqliteDatabase): ReadRecipients {
  const prepared = new Map<string, Statement<SqlValue[], Row>>();
  return (ask) => {
    const { text, params } = recipientsStatement(ask);
    const statement = prepared.get(text) ?? database().prepare<SqlValue[], Row>(text).raw(true);
    prepared.set(text, statement);
    return byMessage(statement.all(...params));
  };
}

/** Rows [message, kind, name] in the order of the names: SQLite compares UTF-8, which is the order of code points. */
export function recipientsStatement({ ids, scope, now_us }: RecipientsRequest): Sql {
  const { tables, recipient } = visibilityOf({ kind: 'message', scope }, now_us);
  // Only who looks for somebody's mail is compared with the sender; everybody else needs the recipients alone.
  const from = recipient === undefined ? NOTHING : sql`CROSS JOIN messages m ON m.id = p.value `;
  return sql`${tables.length === 0 ? NOTHING : sql`WITH ${joined(tables, ', ')} `}SELECT r.message_id, r.kind, a.name
    FROM json_each(${JSON.stringify(ids)}) p ${from}CROSS JOIN message_recipients r ON r.message_id = p.value JOIN agents a ON a.id = r.agent_id
    WHERE ${all(recipient === undefined ? [] : [recipient])} ORDER BY a.name, a.id`;
}

function byMessage(rows: readonly Row[]): ReadonlyMap<number, MessageRecipients> {
  const found = new Map<number, Record<RecipientKind, string[]>>();
  for (const [message, kind, name] of rows) {
    const lists = found.get(message) ?? { to: [], cc: [], bcc: [] };
    lists[kind].push(name);
    found.set(message, lists);
  }
  return found;
}
