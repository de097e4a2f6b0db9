import type { SqliteDatabase } from '../../adapters/sqlite/open.ts';
import type { EngineAnswer } from '../../core/ports/message-engine.ts';
import type { NamedProduct, NamedProject, SearchViewer } from '../../core/ports/message-search.ts';
import { storeFault } from './fault.ts';

/** A project by slug, else by human key, else by its id in digits; of those that are not the viewer's there is none. */
export function projectNamed(db: SqliteDatabase, key: string, viewer: SearchViewer): NamedProject | undefined {
  const { table, bound } = openTo(viewer);
  return db
    .prepare<Wanted, NamedProject>(
      `SELECT id, slug AS name FROM projects WHERE (slug = @key OR human_key = @key OR id = @id) AND id IN (${table})
       ORDER BY slug = @key DESC, human_key = @key DESC, id LIMIT 1`,
    )
    .get({ key, id: idIn(key), ...bound });
}

type Wanted = { readonly key: string; readonly id: number | null } & Partial<Bound>;
interface Bound {
  readonly agent: string | null;
  readonly projects: string;
}

/** Ids of the projects that are open to a viewer: those of its key, else those that its agent is in, and others of their products. */
export function openTo(viewer: SearchViewer): { readonly table: string; readonly bound: Partial<Bound> } {
  if (viewer === null || !('grant' in viewer)) return { table: 'SELECT id FROM projects', bound: {} };
  const { agent, projects } = viewer.grant;
  if (projects !== null)
    return { table: 'SELECT id FROM projects WHERE slug IN (SELECT value FROM json_each(@projects))', bound: { projects: JSON.stringify(projects) } };
  const own = 'SELECT project_id FROM agents WHERE name = @agent COLLATE NOCASE';
  return {
    table: `${own} UNION SELECT other.project_id FROM product_project_links l JOIN product_project_links other ON other.product_id = l.product_id WHERE l.project_id IN (${own})`,
    bound: { agent },
  };
}

/** A product by uid, else by name, else by its id in digits, with those of its projects that are open to the viewer; without any of them there is none. */
export function productNamed(db: SqliteDatabase, key: string, viewer: SearchViewer): NamedProduct | undefined {
  const { table, bound } = openTo(viewer);
  const isOpen = viewer === null ? '1' : `EXISTS (SELECT 1 FROM product_project_links k WHERE k.product_id = p.id AND k.project_id IN (${table}))`;
  const product = db
    .prepare<Wanted, Omit<NamedProduct, 'project_ids'>>(
      `SELECT id, name FROM products p WHERE (product_uid = @key OR name = @key OR id = @id) AND ${isOpen}
       ORDER BY product_uid = @key DESC, name = @key DESC, id LIMIT 1`,
    )
    .get({ key, id: idIn(key), ...bound });
  if (product === undefined) return undefined;
  const links = db.prepare<{ product: number } & Partial<Bound>, { project_id: number }>(
    `SELECT project_id FROM product_project_links WHERE product_id = @product AND project_id IN (${table}) ORDER BY project_id`,
  );
  return { ...product, project_ids: links.all({ product: product.id, ...bound }).map(({ project_id }) => project_id) };
}

/** What a look into the database says; that there is none, or that it is damaged, says nothing about what is in it. */
export function lookUp<T>(database: () => SqliteDatabase, look: (db: SqliteDatabase) => T): EngineAnswer<T> {
  let db: SqliteDatabase;
  try {
    db = database();
  } catch (error) {
    return { ok: false, error: storeFault('index_not_ready', error) };
  }
  try {
    return { ok: true, value: look(db) };
  } catch (error) {
    return { ok: false, error: storeFault('engine_error', error) };
  }
}

function idIn(key: string): number | null {
  return /^\d{1,15}$/.test(key) ? Number(key) : null;
}
