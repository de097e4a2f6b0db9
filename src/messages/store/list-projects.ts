import type { ProjectOrProduct, SearchViewer } from '../../core/ports/message-search.ts';
import { openTo } from './named-projects.ts';
import { createMessagesReader } from './reader.ts';

/** More than anybody steps through with one key. */
const MAX_LISTED = 1000;

/** The first projects and then the first products by name, of those that are open to the viewer. @throws WritError STORAGE_UNAVAILABLE while there is no database */
export function listProjectsAndProducts(file: string, viewer: SearchViewer): readonly ProjectOrProduct[] {
  const { table, bound } = openTo(viewer);
  const ofProducts = viewer === null ? '' : `WHERE id IN (SELECT product_id FROM product_project_links WHERE project_id IN (${table}))`;
  const reader = createMessagesReader(file);
  try {
    return reader
      .database()
      .prepare<{ most: number; agent?: string | null; projects?: string }, ProjectOrProduct>(
        `SELECT kind, id, name FROM (
           SELECT 0 AS place, 'project' AS kind, id, slug AS name FROM projects WHERE id IN (${table})
           UNION ALL SELECT 1, 'product', id, name FROM products ${ofProducts}
         ) ORDER BY place, name, id LIMIT @most`,
      )
      .all({ most: MAX_LISTED, ...bound });
  } finally {
    reader.close();
  }
}
