import type { EngineSet } from '../../core/ports/message-engine.ts';
import { all, joined, type Sql, sql } from './sql.ts';

/** What one pair of eyes sees: the agents that look, the projects they may look into, and the agents that let them. */
interface Sight {
  readonly tables: Sql;
  readonly agents: Sql;
  /** Whether message `m` may be seen: 1 or 0. */
  readonly sees: Sql;
  /** Why, or why not. */
  readonly reason: Sql;
}

export interface Eyes {
  /** Common tables, to be written behind WITH. */
  readonly tables: readonly Sql[];
  /** Whether `m` may be seen by all of them (or, for `only_denied`, may not); `undefined`: nobody restricts anything. */
  readonly sees: Sql | undefined;
  readonly reason: Sql;
  /** Whether recipient `r` of `m` may be looked for: who is in Bcc is known to the sender and to themselves. */
  readonly recipient: Sql | undefined;
}

/** What of a set may be seen. Agents and projects are no secret. */
export function eyesOf({ kind, scope }: Pick<EngineSet, 'kind' | 'scope'>, nowUs: number): Eyes {
  if (kind !== 'message') return { tables: [], sees: nobody(scope), reason: sql`'non_message_entity'`, recipient: undefined };
  const [first, second] = scope.eyes.map((eyes, index) => sightOf(eyes, index === 0 ? FIRST : SECOND, nowUs));
  if (first === undefined) return { tables: [], sees: nobody(scope), reason: sql`'operator_mode'`, recipient: undefined };
  const sights = second === undefined ? [first] : [first, second];
  const together = sql`(${all(sights.map(({ sees }) => sees))})`;
  return {
    tables: sights.map(({ tables }) => tables),
    sees: scope.only_denied ? sql`(NOT ${together})` : together,
    reason: second === undefined ? first.reason : sql`CASE WHEN ${first.sees} AND NOT ${second.sees} THEN ${second.reason} ELSE ${first.reason} END`,
    recipient: all(sights.map(({ agents }) => sql`(r.kind <> 'bcc' OR m.sender_id IN ${agents} OR r.agent_id IN ${agents})`)),
  };
}

/** Where nobody restricts anything, nothing is denied. */
function nobody({ only_denied }: EngineSet['scope']): Sql | undefined {
  return only_denied ? sql`0` : undefined;
}

/** Names of the common tables, by the pair of eyes: the viewer's, and those that the query asks for. */
const FIRST = { looking: sql`looking_1`, open: sql`open_1`, near: sql`near_1` };
const SECOND = { looking: sql`looking_2`, open: sql`open_2`, near: sql`near_2` };

function sightOf(eyes: EngineSet['scope']['eyes'][number], { looking, open, near }: typeof FIRST, nowUs: number): Sight {
  const who = 'agent_name' in eyes ? sql`name = ${eyes.agent_name} COLLATE NOCASE` : sql`id = ${eyes.agent_id} AND project_id = ${eyes.project_id}`;
  const approved = sql`status = 'approved' AND (expires_ts IS NULL OR expires_ts > ${nowUs})`;
  const agents = sql`(SELECT id FROM ${looking})`;
  const isSender = sql`m.sender_id IN ${agents}`;
  const isRecipient = sql`EXISTS (SELECT 1 FROM message_recipients r WHERE r.message_id = m.id AND r.agent_id IN ${agents})`;
  const isContact = sql`m.sender_id IN (SELECT id FROM ${near})`;
  const isOpen = sql`m.project_id IN (SELECT project_id FROM ${open})`;
  const policy = sql`coalesce((SELECT contact_policy FROM agents WHERE id = m.sender_id), 'auto')`;
  return {
    tables: joined(
      [
        sql`${looking} AS MATERIALIZED (SELECT id, project_id FROM agents WHERE ${who})`,
        sql`${open} AS MATERIALIZED (
          SELECT project_id FROM ${looking} UNION
          SELECT other.project_id FROM product_project_links own JOIN product_project_links other ON other.product_id = own.product_id
          WHERE own.project_id IN (SELECT project_id FROM ${looking}))`,
        sql`${near} AS MATERIALIZED (
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
