import type { ProjectOrProduct } from '../../core/ports/message-search.ts';
import { createMessagesReader } from './reader.ts';

/** More than anybody steps through with one key. */
const MAX_LISTED = 1000;

/** The first projects and then the first products by name. @throws WritError STORAGE_UNAVAILABLE while there is no database */
export function listProjectsAndProducts(file: string): readonly ProjectOrProduct[] {
  const reader = createMessagesReader(file);
  try {
    return reader
      .database()
      .prepare<[number], ProjectOrProduct>(
        `SELECT kind, id, name FROM (
           SELECT 0 AS place, 'project' AS kind, id, slug AS name FROM projects
           UNION ALL SELECT 1, 'product', id, name FROM products
         ) ORDER BY place, name, id LIMIT ?`,
      )
      .all(MAX_LISTED);
  } finally {
    reader.close();
  }
}
