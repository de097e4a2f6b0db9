import type { SqliteDatabase } from '../../adapters/sqlite/open.ts';
import { messageOf } from '../../core/errors.ts';
import type { EngineAnswer } from '../../core/ports/message-engine.ts';
import type { NamedProduct, NamedProject } from '../../core/ports/message-search.ts';

/** A project by slug, else by human key, else by its id in digits. */
export function projectNamed(db: SqliteDatabase, key: string): NamedProject | undefined {
  return db
    .prepare<{ key: string; id: number | null }, NamedProject>(
      `SELECT id, slug AS name FROM projects WHERE slug = @key OR human_key = @key OR id = @id
       ORDER BY slug = @key DESC, human_key = @key DESC, id LIMIT 1`,
    )
    .get({ key, id: idIn(key) });
}

/** A product by uid, else by name, else by its id in digits. */
export function productNamed(db: SqliteDatabase, key: string): NamedProduct | undefined {
  const product = db
    .prepare<{ key: string; id: number | null }, Omit<NamedProduct, 'project_ids'>>(
      `SELECT id, name FROM products WHERE product_uid = @key OR name = @key OR id = @id
       ORDER BY product_uid = @key DESC, name = @key DESC, id LIMIT 1`,
    )
    .get({ key, id: idIn(key) });
  if (product === undefined) return undefined;
  const links = db.prepare<[number], { project_id: number }>('SELECT project_id FROM product_project_links WHERE product_id = ? ORDER BY project_id');
  return { ...product, project_ids: links.all(product.id).map(({ project_id }) => project_id) };
}

/** What a look into the database says; that there is none, or that it is damaged, says nothing about what is in it. */
export function lookUp<T>(database: () => SqliteDatabase, look: (db: SqliteDatabase) => T): EngineAnswer<T> {
  let db: SqliteDatabase;
  try {
    db = database();
  } catch (error) {
    return { ok: false, error: { kind: 'index_not_ready', message: messageOf(error) } };
  }
  try {
    return { ok: true, value: look(db) };
  } catch (error) {
    return { ok: false, error: { kind: 'engine_error', message: messageOf(error) } };
  }
}

function idIn(key: string): number | null {
  return /^\d{1,15}$/.test(key) ? Number(key) : null;
}
