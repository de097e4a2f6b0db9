import type { SqliteDatabase } from '../../../adapters/sqlite/open.ts';
import { RECIPIENT_KINDS, type Recipient } from '../../../contracts/index.ts';
import { createMessageIds } from './message-ids.ts';
import { type Done, type OpOf, UNCHANGED, type WriteParts } from './parts.ts';
import { createRecipients, type Receipt } from './recipients.ts';

/** The columns of a message that an edit may change. */
interface Columns {
  readonly sender_id: number | null;
  readonly thread_id: string | null;
  readonly subject: string;
  readonly body_md: string;
  readonly importance: string;
  readonly ack_required: number;
  readonly created_ts: number;
  readonly attachments: string;
}
type Stored = Columns & { readonly id: number; readonly changed_at: number };

const REST = ['sender_id', 'thread_id', 'importance', 'ack_required', 'created_ts', 'attachments'] as const satisfies readonly (keyof Columns)[];

export interface MessageWriter {
  put(op: OpOf<'message'>, at: number): Done;
  remove(op: OpOf<'delete'>, at: number): Done;
}

/** A message is its project and key. The newest words about it win, be they words of an edit or of a removal. */
export function createMessageWriter({ db, names, stamps }: WriteParts): MessageWriter {
  const sql = statements(db);
  const recipients = createRecipients(db);
  const ids = createMessageIds(db);

  function put(op: OpOf<'message'>, at: number): Done {
    const projectId = names.project(op.project, at);
    const stored = sql.find.get(projectId, op.key);
    if (stored === undefined && stamps.overtaken('message', nameOf(op.project, op.key), at)) return UNCHANGED;
    if (stored !== undefined && stored.changed_at > at) return { what: 'unchanged', id: stored.id };
    const row: Columns = {
      sender_id: op.from === undefined ? null : personOf(op.from, projectId, at),
      thread_id: threadOf(op, projectId),
      subject: op.subject,
      body_md: op.body_md,
      importance: op.importance,
      ack_required: op.ack_required ? 1 : 0,
      created_ts: op.created_ts ?? stored?.created_ts ?? at,
      attachments: op.attachments.length === 0 ? '[]' : JSON.stringify(op.attachments),
    };
    const to = recipientsOf(op, projectId, at);
    return stored === undefined ? insert(op, projectId, row, to, at) : edit(stored, row, to, at);
  }

  function insert(op: OpOf<'message'>, projectId: number, row: Columns, to: ReadonlyMap<number, Receipt>, at: number): Done {
    const id = ids.given(op.id);
    sql.insert.run({ ...row, id, project_id: projectId, source_key: op.key, changed_at: at });
    ids.inserted(id);
    recipients.add(id, to);
    return { what: 'inserted', id, documents: 1 };
  }

  function edit(stored: Stored, row: Columns, to: ReadonlyMap<number, Receipt>, at: number): Done {
    const { id } = stored;
    const hasNewText = stored.subject !== row.subject || stored.body_md !== row.body_md;
    const hasNewRest = REST.some((column) => stored[column] !== row[column]);
    // The trigger of the full text looks at which columns are named, not at whether they differ.
    if (hasNewText) sql.setText.run({ ...row, id });
    if (hasNewRest) sql.setRest.run({ ...row, id });
    const hasNewRecipients = recipients.replace(id, to);
    // A follower has more of a message than its text.
    if (!hasNewText && (hasNewRest || hasNewRecipients)) for (const touch of sql.touch) touch.run(id);
    if (at > stored.changed_at) sql.stamp.run(at, id);
    return hasNewText || hasNewRest || hasNewRecipients ? { what: 'updated', id, documents: hasNewText ? 1 : 0 } : { what: 'unchanged', id };
  }

  function remove(op: OpOf<'delete'>, at: number): Done {
    const found = 'id' in op ? sql.byId.get(op.id) : sql.byKey.get(op.project, op.key);
    if (found === undefined) {
      // What is not here yet may still come, on a slower way.
      if ('key' in op && !stamps.overtaken('message', nameOf(op.project, op.key), at)) stamps.set('message', nameOf(op.project, op.key), at);
      return UNCHANGED;
    }
    if (found.changed_at > at) return { what: 'unchanged', id: found.id };
    if (found.source_key !== null) stamps.set('message', nameOf(found.slug, found.source_key), at);
    sql.remove.run(found.id);
    return { what: 'deleted', id: found.id, documents: 1 };
  }

  function threadOf(op: OpOf<'message'>, projectId: number): string | null {
    if (op.thread_id !== null || op.in_reply_to === undefined) return op.thread_id;
    return sql.find.get(projectId, op.in_reply_to)?.thread_id ?? op.in_reply_to;
  }

  function personOf(person: Recipient, projectId: number, at: number): number {
    if (typeof person === 'string') return names.agent(projectId, person, at);
    return names.agent(person.project === undefined ? projectId : names.project(person.project, at), person.name, at);
  }

  /** Somebody who is named in several places is in the first of them. */
  function recipientsOf(op: OpOf<'message'>, projectId: number, at: number): ReadonlyMap<number, Receipt> {
    const all = new Map<number, Receipt>();
    for (const kind of RECIPIENT_KINDS) {
      for (const recipient of op[kind]) {
        const agent = personOf(recipient, projectId, at);
        const { read_ts = null, ack_ts = null } = typeof recipient === 'string' ? {} : recipient;
        if (!all.has(agent)) all.set(agent, { kind, read_ts, ack_ts });
      }
    }
    return all;
  }

  return { put, remove };
}

function nameOf(project: string, key: string): string {
  return JSON.stringify([project, key]);
}

interface Removable {
  readonly id: number;
  readonly slug: string;
  readonly source_key: string | null;
  readonly changed_at: number;
}

function statements(db: SqliteDatabase) {
  const removable = 'SELECT m.id, p.slug, m.source_key, m.changed_at FROM messages m JOIN projects p ON p.id = m.project_id';
  return {
    find: db.prepare<[number, string], Stored>(
      `SELECT id, changed_at, subject, body_md, ${REST.join(', ')} FROM messages WHERE project_id = ? AND source_key = ?`,
    ),
    insert: db.prepare<Columns & { id: number; project_id: number; source_key: string; changed_at: number }>(
      `INSERT INTO messages (id, project_id, source_key, changed_at, subject, body_md, ${REST.join(', ')})
       VALUES (@id, @project_id, @source_key, @changed_at, @subject, @body_md, ${REST.map((column) => `@${column}`).join(', ')})`,
    ),
    setText: db.prepare<Columns & { id: number }>('UPDATE messages SET subject = @subject, body_md = @body_md WHERE id = @id'),
    setRest: db.prepare<Columns & { id: number }>(`UPDATE messages SET ${REST.map((column) => `${column} = @${column}`).join(', ')} WHERE id = @id`),
    touch: [
      db.prepare<[number]>(`DELETE FROM text_changes WHERE kind = 'message' AND doc_id = ?`),
      db.prepare<[number]>(`INSERT INTO text_changes (kind, doc_id) VALUES ('message', ?)`),
    ],
    stamp: db.prepare<[number, number]>('UPDATE messages SET changed_at = ? WHERE id = ?'),
    byId: db.prepare<[number], Removable>(`${removable} WHERE m.id = ?`),
    byKey: db.prepare<[string, string], Removable>(`${removable} WHERE p.slug = ? AND m.source_key = ?`),
    remove: db.prepare<[number]>('DELETE FROM messages WHERE id = ?'),
  };
}
