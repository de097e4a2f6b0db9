import type { SqliteDatabase } from '../../adapters/sqlite/open.ts';

/** A project by its slug, or a product by its name. */
export interface ListedPlace {
  readonly kind: 'project' | 'product';
  readonly id: number;
  readonly name: string;
}

/** The first projects and then the first products by name, at most so many of both together. */
export function listPlaces(db: SqliteDatabase, most: number): ListedPlace[] {
  return db
    .prepare<[number], ListedPlace>(
      `SELECT kind, id, name FROM (
         SELECT 0 AS place, 'project' AS kind, id, slug AS name FROM projects
         UNION ALL SELECT 1, 'product', id, name FROM products
       ) ORDER BY place, name, id LIMIT ?`,
    )
    .all(most);
}
