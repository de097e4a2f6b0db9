import type { EngineSet, EngineViewer } from '../../core/ports/message-engine.ts';
import { KINDS } from './kinds.ts';
import { all, joined, type Sql, sql } from './sql.ts';

/** What one viewer has access to: the agents that it stands for, the projects open to them, and the agents that approved them as contacts. */
interface ViewerAccess {
  /** Common tables, to be written behind WITH. */
  readonly tables: Sql;
  /** Ids of the viewer's agents. */
  readonly agents: Sql;
  /** Whether message `m` may be seen: 1 or 0. */
  readonly sees: Sql;
  /** Why, or why not. */
  readonly reason: Sql;
}

/** The SQL of what a set shows, on message `m` and its recipients `r`. */
export interface Visibility {
  /** Common tables, to be written behind WITH. */
  readonly tables: readonly Sql[];
  /** Whether `m` may be seen by every viewer (or, for `only_denied`, may not); `undefined`: nobody restricts anything. */
  readonly sees: Sql | undefined;
  readonly reason: Sql;
  /** Whether recipient `r` of `m` may be looked for: who is in Bcc is known to the sender and to themselves. */
  readonly recipient: Sql | undefined;
}

/** What of a set may be seen. Agents and projects are no secret but to bound keys, which see those of projects that are open to their agent. */
export function visibilityOf({ kind, scope }: Pick<EngineSet, 'kind' | 'scope'>, nowUs: number): Visibility {
  if (kind !== 'message') {
    const bound = scope.viewers.find((viewer) => 'bound_to' in viewer);
    const reason = sql`'non_message_entity'`;
    if (bound === undefined) return { tables: [], sees: unrestricted(scope), reason, recipient: undefined };
    const { tables } = accessOf(bound, FIRST, nowUs);
    const isOpen = sql`(${KINDS[kind].project} IN (SELECT project_id FROM ${FIRST.openProjects}))`;
    return { tables: [tables], sees: scope.only_denied ? sql`(NOT ${isOpen})` : isOpen, reason, recipient: undefined };
  }
  const [first, second] = scope.viewers.map((viewer, index) => accessOf(viewer, index === 0 ? FIRST : SECOND, nowUs));
  if (first === undefined) return { tables: [], sees: unrestricted(scope), reason: sql`'operator_mode'`, recipient: scope.granted && sql`r.kind <> 'bcc'` };
  const each = second === undefined ? [first] : [first, second];
  const every = sql`(${all(each.map(({ sees }) => sees))})`;
  return {
    tables: each.map(({ tables }) => tables),
    sees: scope.only_denied ? sql`(NOT ${every})` : every,
    reason: second === undefined ? first.reason : sql`CASE WHEN ${first.sees} AND NOT ${second.sees} THEN ${second.reason} ELSE ${first.reason} END`,
    recipient: all(each.map(({ agents }) => sql`(r.kind <> 'bcc' OR m.sender_id IN ${agents} OR r.agent_id IN ${agents})`)),
  };
}

/** Where nobody restricts anything, nothing is denied. */
function unrestricted({ only_denied }: EngineSet['scope']): Sql | undefined {
  return only_denied ? sql`0` : undefined;
}

/** Names of the common tables: of the viewer that searches, and of the one that the query names. */
const FIRST = { viewers: sql`viewers_1`, openProjects: sql`open_projects_1`, contacts: sql`contacts_1` };
const SECOND = { viewers: sql`viewers_2`, openProjects: sql`open_projects_2`, contacts: sql`contacts_2` };

function whoIs(viewer: EngineViewer): Sql {
  if (!('agent_name' in viewer)) return sql`id = ${viewer.agent_id} AND project_id = ${viewer.project_id}`;
  const named = sql`name = ${viewer.agent_name} COLLATE NOCASE`;
  return 'bound_to' in viewer && viewer.bound_to !== null ? sql`${named} AND project_id IN ${projectsNamed(viewer.bound_to)}` : named;
}

/** Ids of the projects with these slugs. */
export function projectsNamed(slugs: readonly string[]): Sql {
  return sql`(SELECT id FROM projects WHERE slug IN (SELECT value FROM json_each(${JSON.stringify(slugs)})))`;
}

function accessOf(viewer: EngineViewer, { viewers, openProjects, contacts }: typeof FIRST, nowUs: number): ViewerAccess {
  const who = whoIs(viewer);
  const approved = sql`status = 'approved' AND (expires_ts IS NULL OR expires_ts > ${nowUs})`;
  const agents = sql`(SELECT id FROM ${viewers})`;
  const isSender = sql`m.sender_id IN ${agents}`;
  const isRecipient = sql`EXISTS (SELECT 1 FROM message_recipients r WHERE r.message_id = m.id AND r.agent_id IN ${agents})`;
  const isContact = sql`m.sender_id IN (SELECT id FROM ${contacts})`;
  const isOpen = sql`m.project_id IN (SELECT project_id FROM ${openProjects})`;
  const policy = sql`coalesce((SELECT contact_policy FROM agents WHERE id = m.sender_id), 'auto')`;
  return {
    tables: joined(
      [
        sql`${viewers} AS MATERIALIZED (SELECT id, project_id FROM agents WHERE ${who})`,
        sql`${openProjects} AS MATERIALIZED (
          SELECT project_id FROM ${viewers} UNION
          SELECT other.project_id FROM product_project_links own JOIN product_project_links other ON other.product_id = own.product_id
          WHERE own.project_id IN (SELECT project_id FROM ${viewers}))`,
        sql`${contacts} AS MATERIALIZED (
          SELECT b_agent_id AS id FROM agent_links WHERE a_agent_id IN ${agents} AND ${approved} UNION
          SELECT a_agent_id FROM agent_links WHERE b_agent_id IN ${agents} AND ${approved})`,
      ],
      ', ',
    ),
    agents,
    sees: sql`((${isSender} OR ${isRecipient} OR ${isContact} OR (${isOpen} AND ${policy} NOT IN ('contacts_only', 'block_all'))) IS TRUE)`,
    reason: sql`CASE WHEN ${isSender} THEN 'is_sender' WHEN ${isRecipient} THEN 'is_recipient' WHEN ${isContact} THEN 'approved_contact'
      WHEN NOT ${isOpen} THEN 'cross_project_denied' WHEN ${policy} = 'contacts_only' THEN 'contacts_only_denied'
      WHEN ${policy} = 'block_all' THEN 'block_all_denied' WHEN ${policy} = 'open' THEN 'open_policy' ELSE 'auto_policy' END`,
  };
}
