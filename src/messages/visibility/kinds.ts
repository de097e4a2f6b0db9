import type { DocKind } from '../../contracts/index.ts';
import { type Sql, sql } from './sql.ts';

/** Where the rows of a kind lie. In statements `m` is the table, `a` the sender, `f` where raw scores come from. */
export interface KindTables {
  readonly table: Sql;
  readonly title: Sql;
  readonly body: Sql;
  readonly project: Sql;
  readonly time: Sql;
  /** importance, ack_required, thread_id, from_agent */
  readonly rest: Sql;
  readonly sender: Sql;
}

const NO_REST = sql`NULL, NULL, NULL, NULL`;

export const KINDS = {
  message: {
    table: sql`messages`,
    title: sql`m.subject`,
    body: sql`m.body_md`,
    project: sql`m.project_id`,
    time: sql`m.created_ts`,
    rest: sql`m.importance, m.ack_required, m.thread_id, coalesce(a.name, '')`,
    sender: sql`LEFT JOIN agents a ON a.id = m.sender_id`,
  },
  agent: {
    table: sql`agents`,
    title: sql`m.name`,
    body: sql`m.task_description`,
    project: sql`m.project_id`,
    time: sql`m.inception_ts`,
    rest: NO_REST,
    sender: sql``,
  },
  project: {
    table: sql`projects`,
    title: sql`m.slug`,
    body: sql`m.human_key`,
    project: sql`m.id`,
    time: sql`m.created_at`,
    rest: NO_REST,
    sender: sql``,
  },
} satisfies Record<DocKind, KindTables>;
