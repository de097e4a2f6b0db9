import type { EngineSet } from '../../../core/ports/message-engine.ts';
import { KINDS } from '../../visibility/kinds.ts';
import { all, joined, type Sql, sql } from '../../visibility/sql.ts';
import type { Access, Resolved } from './access.ts';

/** The SQL of what a set shows, on message `m`. */
export interface SetVisibility {
  /** Whether `m` may be seen by every viewer (or, for `only_denied`, may not); `undefined`: row-level security says it, or nobody restricts anything. */
  readonly sees: Sql | undefined;
  readonly reason: Sql;
}

/** What of a set may be seen: of a reader's own scope the server sees to it, a scope that an operator asks for is a condition. */
export function visibilityIn({ kind, scope }: Pick<EngineSet, 'kind' | 'scope'>, { viewers, closed }: Resolved): SetVisibility {
  const unrestricted = scope.only_denied ? sql`false` : undefined;
  if (kind !== 'message') return { sees: unrestricted, reason: sql`'non_message_entity'` };
  const [first, second] = viewers;
  if (first === undefined) return { sees: unrestricted, reason: sql`'operator_mode'` };
  const every = sql`(${all(viewers.map((viewer) => seenBy(viewer, closed)))})`;
  const seen = scope.only_denied ? sql`(NOT ${every})` : every;
  return {
    sees: scope.hide_denied ? undefined : seen,
    reason:
      second === undefined
        ? reasonFor(first)
        : sql`CASE WHEN ${seenBy(first, closed)} AND NOT ${seenBy(second, closed)} THEN ${reasonFor(second)} ELSE ${reasonFor(first)} END`,
  };
}

/** A list of ids, as PostgreSQL writes it, as a value. */
function list(ids: string): Sql {
  return sql`${ids}::bigint[]`;
}

function isSender(agents: string): Sql {
  return sql`m.sender_id = ANY (${list(agents)})`;
}

function isRecipient(agents: string): Sql {
  return sql`(m.recipients && ${list(agents)} OR m.bcc && ${list(agents)})`;
}

function isOpen({ open }: Access): Sql {
  return sql`m.project_id = ANY (${list(open)})`;
}

function seenBy(viewer: Access, closed: string): Sql {
  const isFree = sql`(${isOpen(viewer)} AND coalesce(m.sender_id, 0) <> ALL (${list(closed)}))`;
  return sql`((${isSender(viewer.agents)} OR ${isRecipient(viewer.agents)} OR ${isSender(viewer.contacts)} OR ${isFree}) IS TRUE)`;
}

function reasonFor(viewer: Access): Sql {
  const policy = sql`coalesce((SELECT contact_policy FROM agents WHERE id = m.sender_id), 'auto')`;
  return sql`CASE WHEN ${isSender(viewer.agents)} THEN 'is_sender' WHEN ${isRecipient(viewer.agents)} THEN 'is_recipient'
    WHEN ${isSender(viewer.contacts)} THEN 'approved_contact' WHEN NOT ${isOpen(viewer)} THEN 'cross_project_denied'
    WHEN ${policy} = 'contacts_only' THEN 'contacts_only_denied' WHEN ${policy} = 'block_all' THEN 'block_all_denied'
    WHEN ${policy} = 'open' THEN 'open_policy' ELSE 'auto_policy' END`;
}

/** The filters of a set as conditions on `m`, and the scope of projects; what viewers may see is left out. */
export function filterConditions({ kind, filters, scope }: Omit<EngineSet, 'match'>, resolved: Resolved): Sql[] {
  const { project } = KINDS[kind];
  const { agent_name: agent, direction } = filters;
  const named = (name: string): string => resolved.named.get(name) ?? '{}';
  const sent = (name: string): Sql => isSender(named(name));
  const got = (name: string): Sql => isTo(named(name), scope, resolved);
  return [
    ...given(filters.project_id, (id) => sql`${project} = ${id}`),
    ...given(filters.product_id, (id) => sql`m.project_id IN (SELECT project_id FROM product_project_links WHERE product_id = ${id})`),
    ...given(scope.projects, (ids) => sql`${project} = ANY (${list(`{${ids.join()}}`)})`),
    ...(filters.importance.length > 0
      ? [
          sql`m.importance IN (${joined(
            filters.importance.map((value) => sql`${value}`),
            ', ',
          )})`,
        ]
      : []),
    ...given(filters.thread_id, (id) => sql`m.thread_id = ${id}`),
    ...given(filters.ack_required, (flag) => sql`m.ack_required = ${String(flag)}::boolean`),
    ...given(filters.min_ts, (us) => sql`m.created_ts >= ${us}`),
    ...given(filters.max_ts, (us) => sql`m.created_ts <= ${us}`),
    ...given(direction === 'outbox' ? agent : null, sent),
    ...given(direction === 'inbox' ? agent : null, got),
    ...given(direction === null ? agent : null, (name) => sql`(${sent(name)} OR ${got(name)})`),
    ...given(filters.sender_name, sent),
    ...given(filters.recipient_name, got),
  ];
}

function given<T>(value: T | null, condition: (value: T) => Sql): Sql[] {
  return value === null ? [] : [condition(value)];
}

/** Who is in Bcc is known to the sender and to themselves. */
function isTo(agents: string, scope: EngineSet['scope'], { viewers }: Resolved): Sql {
  const openly = sql`m.recipients && ${list(agents)}`;
  if (viewers.length === 0) return scope.granted === undefined ? isRecipient(agents) : openly;
  const known = viewers.map((viewer) => sql`(${isSender(viewer.agents)} OR r = ANY (${list(viewer.agents)}))`);
  return sql`(${openly} OR EXISTS (SELECT 1 FROM unnest(m.bcc) r WHERE r = ANY (${list(agents)}) AND ${all(known)}))`;
}

/** Every term is a part of title or body, ASCII letters of any case. */
export function containsAll(kind: EngineSet['kind'], terms: readonly string[]): Sql[] {
  const { title, body } = KINDS[kind];
  return terms.map((term) => {
    const pattern = `%${term.replace(/[\\%_]/g, '\\$&').replace(/[A-Z]/g, (letter) => letter.toLowerCase())}%`;
    return sql`(lower(${title} COLLATE "C") LIKE ${pattern} OR lower(${body} COLLATE "C") LIKE ${pattern})`;
  });
}
