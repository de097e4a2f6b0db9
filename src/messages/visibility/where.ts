import type { EngineSet } from '../../core/ports/message-engine.ts';
import type { KindTables } from './kinds.ts';
import { all, joined, NOTHING, type Sql, type SqlValue, sql } from './sql.ts';
import type { Visibility } from './visibility.ts';

/** The filters of a set as conditions on `m`, visibility left out. */
export function filterConditions({ match, filters, scope }: Omit<EngineSet, 'kind'>, { project }: KindTables, visibility: Visibility): Sql[] {
  const recipients = recipientsOf(match.by === 'filters' && visibility.recipient === undefined, visibility.recipient);
  const { agent_name: agent, direction } = filters;
  return [
    ...given(filters.project_id, (id) => sql`${project} = ${id}`),
    ...given(filters.product_id, (id) => sql`m.project_id IN (SELECT project_id FROM product_project_links WHERE product_id = ${id})`),
    ...given(scope.projects, (ids) => sql`${project} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`),
    ...(filters.importance.length > 0 ? [sql`m.importance IN (${list(filters.importance)})`] : []),
    ...given(filters.thread_id, (id) => sql`m.thread_id = ${id}`),
    ...given(filters.ack_required, (flag) => sql`m.ack_required = ${Number(flag)}`),
    ...given(filters.min_ts, (us) => sql`m.created_ts >= ${us}`),
    ...given(filters.max_ts, (us) => sql`m.created_ts <= ${us}`),
    ...given(direction === 'outbox' ? agent : null, isSender),
    ...given(direction === 'inbox' ? agent : null, recipients),
    ...given(direction === null ? agent : null, (name) => sql`(${isSender(name)} OR ${recipients(name)})`),
    ...given(filters.sender_name, isSender),
    ...given(filters.recipient_name, recipients),
  ];
}

function given<T>(value: T | null, condition: (value: T) => Sql): Sql[] {
  return value === null ? [] : [condition(value)];
}

/** Names are compared without regard to ASCII case; a name may belong to an agent of each project. */
function agentsOf(name: string): Sql {
  return sql`(SELECT id FROM agents WHERE name = ${name} COLLATE NOCASE)`;
}

function isSender(name: string): Sql {
  return sql`m.sender_id IN ${agentsOf(name)}`;
}

/** Without a text everything that an agent got is read once; with one, most rows have been left out when recipients are asked for. */
function recipientsOf(once: boolean, known: Sql | undefined): (name: string) => Sql {
  if (once) return (name) => sql`m.id IN (SELECT r.message_id FROM message_recipients r WHERE r.agent_id IN ${agentsOf(name)})`;
  const visible = known === undefined ? NOTHING : sql` AND ${known}`;
  return (name) => sql`EXISTS (SELECT 1 FROM message_recipients r WHERE r.message_id = m.id AND r.agent_id IN ${agentsOf(name)}${visible})`;
}

/** Every term is a part of title or body, ASCII letters of any case. */
export function containsAll(terms: readonly string[], { title, body }: KindTables): Sql[] {
  return terms.map((term) => {
    const pattern = `%${term.replace(/[\\%_]/g, '\\$&')}%`;
    return sql`(${title} LIKE ${pattern} ESCAPE '\\' OR ${body} LIKE ${pattern} ESCAPE '\\')`;
  });
}

function list(values: readonly SqlValue[]): Sql {
  return joined(
    values.map((value) => sql`${value}`),
    ', ',
  );
}

/** A WHERE clause; nothing when there is no condition. */
export function where(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? NOTHING : sql` WHERE ${all(conditions)}`;
}
