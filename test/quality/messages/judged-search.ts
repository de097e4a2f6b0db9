import type { SqliteDatabase } from '../../../src/adapters/sqlite/open.ts';
import type { SearchQuery } from '../../../src/contracts/index.ts';
import type { JudgedQuery } from './corpus.ts';

/** Makes judged queries, which name projects by their slug, to queries of this database. */
export function judgedSearch(db: SqliteDatabase): (judged: JudgedQuery) => SearchQuery {
  const rows = db.prepare<[], { id: number; slug: string }>('SELECT id, slug FROM projects').all();
  const projects = new Map(rows.map(({ id, slug }) => [slug, id]));
  return ({ text, filters: { project, importance, ...filters } }) => ({
    text,
    explain: true,
    ...filters,
    ...(importance && { importance: importance as SearchQuery['importance'] }),
    ...(project !== undefined && { project_id: projects.get(project) }),
  });
}
