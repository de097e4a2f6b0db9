import type { Query } from '../../../adapters/postgresql/open.ts';
import type { EngineSet, EngineViewer } from '../../../core/ports/message-engine.ts';
import { joined, type Sql, sql } from '../../visibility/sql.ts';

/** What one viewer has access to; each a list of ids as PostgreSQL writes them. */
export interface Access {
  readonly agents: string;
  /** Projects open to these agents. */
  readonly open: string;
  /** Agents that are contacts of these. */
  readonly contacts: string;
}

/** Whom and what a set is about, as ids: asked once, in the transaction of the page. */
export interface Resolved {
  readonly viewers: readonly Access[];
  /** Agents whose mail is for contacts only. */
  readonly closed: string;
  /** Projects of a bound key; `null`: all. */
  readonly granted: string | null;
  /** Agents of the names that filters have. */
  readonly named: ReadonlyMap<string, string>;
}

/** An operator asks, of nobody. */
const NOBODY: Resolved = { viewers: [], closed: '{}', granted: null, named: new Map() };

/** A condition on names without regard to ASCII case. */
function isNamed(name: string): Sql {
  return sql`lower(name COLLATE "C") = lower(${name}::text COLLATE "C")`;
}

/** The values of a statement with one row, as lists of ids. */
async function lists(query: Query, parts: readonly Sql[]): Promise<string[]> {
  if (parts.length === 0) return [];
  const [row = []] = await query(sql`SELECT ${joined(parts, ', ')}`);
  return row.map(String);
}

/** Whom a question is about. */
interface Asked extends Pick<EngineSet, 'scope'> {
  readonly filters: Pick<EngineSet['filters'], 'agent_name' | 'sender_name' | 'recipient_name'>;
}

/** Finds out who is meant. Sets `writ.mode` to `resolve`, in which agents and projects are read and mail is not. */
export async function resolve(query: Query, { scope, filters }: Asked, nowUs: number): Promise<Resolved> {
  const names = [...new Set([filters.agent_name, filters.sender_name, filters.recipient_name].filter((name) => name !== null))];
  if (scope.viewers.length + names.length === 0 && scope.granted === undefined) return NOBODY;
  await query(sql`SELECT set_config('writ.mode', 'resolve', true)`);
  const viewers: Access[] = [];
  for (const viewer of scope.viewers) viewers.push(await accessOf(query, viewer, nowUs));
  const [closed = '{}', ...rest] = await lists(query, [
    sql`(SELECT coalesce(array_agg(id), '{}') FROM agents WHERE contact_policy IN ('contacts_only', 'block_all'))::text`,
    ...names.map((name) => sql`(SELECT coalesce(array_agg(id), '{}') FROM agents WHERE ${isNamed(name)})::text`),
    ...(scope.granted === undefined ? [] : [sql`(SELECT coalesce(array_agg(id), '{}') FROM projects WHERE slug IN ${textsIn(scope.granted)})::text`]),
  ]);
  return {
    viewers,
    closed,
    granted: scope.granted === undefined ? null : (rest.at(-1) ?? '{}'),
    named: new Map(names.map((name, index) => [name, rest[index] ?? '{}'])),
  };
}

/** A list of texts as a table. */
function textsIn(texts: readonly string[]): Sql {
  return sql`(SELECT json_array_elements_text(${JSON.stringify(texts)}::json))`;
}

function whoIs(viewer: EngineViewer): Sql {
  if (!('agent_name' in viewer)) return sql`id = ${viewer.agent_id} AND project_id = ${viewer.project_id}`;
  if (!('bound_to' in viewer) || viewer.bound_to === null) return isNamed(viewer.agent_name);
  return sql`${isNamed(viewer.agent_name)} AND project_id IN (SELECT id FROM projects WHERE slug IN ${textsIn(viewer.bound_to)})`;
}

async function accessOf(query: Query, viewer: EngineViewer, nowUs: number): Promise<Access> {
  const approved = sql`status = 'approved' AND (expires_ts IS NULL OR expires_ts > ${nowUs})`;
  const [[agents, open, contacts] = []] = await query(sql`
    WITH viewers AS MATERIALIZED (SELECT id, project_id FROM agents WHERE ${whoIs(viewer)}),
    open AS (
      SELECT project_id AS id FROM viewers UNION
      SELECT other.project_id FROM product_project_links own JOIN product_project_links other ON other.product_id = own.product_id
      WHERE own.project_id IN (SELECT project_id FROM viewers)),
    contacts AS (
      SELECT b_agent_id AS id FROM agent_links WHERE a_agent_id IN (SELECT id FROM viewers) AND ${approved} UNION
      SELECT a_agent_id FROM agent_links WHERE b_agent_id IN (SELECT id FROM viewers) AND ${approved})
    SELECT (SELECT coalesce(array_agg(id), '{}') FROM viewers)::text, (SELECT coalesce(array_agg(id), '{}') FROM open)::text,
      (SELECT coalesce(array_agg(id), '{}') FROM contacts)::text`);
  return { agents: String(agents), open: String(open), contacts: String(contacts) };
}

/**
 * Says in the transaction what may be seen of it from now on, for the row-level security of every table (sql/001_messages.sql). Only an
 * operator who asks for a scope sees rows beyond it: to count and to name them.
 */
export async function admit(query: Query, set: Pick<EngineSet, 'kind' | 'scope'>, resolved: Resolved): Promise<void> {
  const { kind, scope } = set;
  const { viewers, closed, granted } = resolved;
  const secured = securedIn(set, resolved);
  const settings: [name: string, value: string][] = [
    ['mode', 'read'],
    ['projects', granted ?? 'all'],
    ['places', kind === 'message' ? 'all' : placesOf(scope, viewers, granted)],
    ['viewers', String(secured.length)],
    ['closed', closed],
    ...secured.flatMap(({ agents, open, contacts }, index): [string, string][] => [
      [`agents_${index + 1}`, agents],
      [`open_${index + 1}`, open],
      [`contacts_${index + 1}`, contacts],
    ]),
  ];
  await query(
    sql`SELECT ${joined(
      settings.map(([name, value]) => sql`set_config(${`writ.${name}`}, ${value}, true)`),
      ', ',
    )}`,
  );
}

/** Whose mail row-level security holds a set to; nobody where an operator asks. */
export function securedIn({ kind, scope }: Pick<EngineSet, 'kind' | 'scope'>, { viewers }: Resolved): readonly Access[] {
  return scope.hide_denied === true && kind === 'message' ? viewers : [];
}

/** The projects that a bound key knows: its own, and of these what is open to its agent. */
function placesOf({ viewers }: EngineSet['scope'], accesses: readonly Access[], granted: string | null): string {
  const bound = accesses[viewers.findIndex((viewer) => 'bound_to' in viewer)];
  if (bound === undefined || granted === null) return bound?.open ?? granted ?? 'all';
  const own = new Set(idsIn(granted));
  return `{${idsIn(bound.open).filter((id) => own.has(id))}}`;
}

function idsIn(list: string): string[] {
  return list.slice(1, -1).split(',').filter(Boolean);
}
