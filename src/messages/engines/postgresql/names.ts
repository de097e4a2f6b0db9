import type { Query } from '../../../adapters/postgresql/open.ts';
import type { NamedProduct, NamedProject, ProjectOrProduct, SearchViewer } from '../../../core/ports/message-search.ts';
import { type Sql, sql } from '../../visibility/sql.ts';

/** More than anybody steps through with one key. */
const MAX_LISTED = 1000;

/** Agents, projects and products are read, and mail is not. */
async function resolving(query: Query): Promise<void> {
  await query(sql`SELECT set_config('writ.mode', 'resolve', true)`);
}

/** A project by slug, else by human key, else by its id in digits; of those that are not the viewer's there is none. */
export async function projectIn(query: Query, key: string, viewer: SearchViewer): Promise<NamedProject | undefined> {
  await resolving(query);
  const [row] =
    await query(sql`SELECT id, slug FROM projects WHERE (slug = ${key} OR human_key = ${key} OR id = ${idIn(key)}::bigint) AND id IN (${openTo(viewer)})
    ORDER BY slug = ${key} DESC, human_key = ${key} DESC, id LIMIT 1`);
  return row === undefined ? undefined : { id: Number(row[0]), name: String(row[1]) };
}

/** A product by uid, else by name, else by its id in digits, with those of its projects that are open to the viewer; without any of them there is none. */
export async function productIn(query: Query, key: string, viewer: SearchViewer): Promise<NamedProduct | undefined> {
  await resolving(query);
  const isOpen = viewer === null ? sql`true` : sql`id IN (${productsOpenTo(viewer)})`;
  const [row] = await query(sql`SELECT id, name FROM products WHERE (product_uid = ${key} OR name = ${key} OR id = ${idIn(key)}::bigint) AND ${isOpen}
    ORDER BY product_uid = ${key} DESC, name = ${key} DESC, id LIMIT 1`);
  if (row === undefined) return undefined;
  const id = Number(row[0]);
  const links = await query(
    sql`SELECT project_id FROM product_project_links WHERE product_id = ${id} AND project_id IN (${openTo(viewer)}) ORDER BY project_id`,
  );
  return { id, name: String(row[1]), project_ids: links.map(([project]) => Number(project)) };
}

/** The first projects and then the first products by name, of those that are open to the viewer. */
export async function placesIn(query: Query, viewer: SearchViewer): Promise<readonly ProjectOrProduct[]> {
  await resolving(query);
  const products = viewer === null ? sql`` : sql` WHERE id IN (${productsOpenTo(viewer)})`;
  const rows = await query(sql`SELECT kind, id, name FROM (
      SELECT 0 AS place, 'project' AS kind, id, slug AS name FROM projects WHERE id IN (${openTo(viewer)})
      UNION ALL SELECT 1, 'product', id, name FROM products${products}) p ORDER BY place, name COLLATE "C", id LIMIT ${MAX_LISTED}::bigint`);
  return rows.map(([kind, id, name]) => ({ kind: kind === 'project' ? 'project' : 'product', id: Number(id), name: String(name) }));
}

/** Ids of the projects that are open to a viewer, as `store/named-projects.ts` has them. */
function openTo(viewer: SearchViewer): Sql {
  if (viewer === null || !('grant' in viewer)) return sql`SELECT id FROM projects`;
  const { agent, projects } = viewer.grant;
  if (projects !== null) return sql`SELECT id FROM projects WHERE slug IN (SELECT json_array_elements_text(${JSON.stringify(projects)}::json))`;
  const own = sql`SELECT project_id FROM agents WHERE lower(name COLLATE "C") = lower(${agent}::text COLLATE "C")`;
  return sql`${own} UNION SELECT other.project_id FROM product_project_links l JOIN product_project_links other ON other.product_id = l.product_id
    WHERE l.project_id IN (${own})`;
}

function productsOpenTo(viewer: SearchViewer): Sql {
  return sql`SELECT product_id FROM product_project_links WHERE project_id IN (${openTo(viewer)})`;
}

function idIn(key: string): number | null {
  return /^\d{1,15}$/.test(key) ? Number(key) : null;
}
