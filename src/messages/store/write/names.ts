import type { SqliteDatabase } from '../../../adapters/sqlite/open.ts';

/** Ids of projects and agents by their names. Rows of these are never removed, so what was found once stays true. */
export interface Names {
  projectOf(slug: string): number | undefined;
  /** Made when there is none. */
  project(slug: string, at: number): number;
  agentOf(projectId: number, name: string): number | undefined;
  agent(projectId: number, name: string, at: number): number;
  /** After a transaction that was taken back. */
  forget(): void;
}

/** Entries that are remembered of each kind. */
const REMEMBERED = 100_000;

export function createNames(db: SqliteDatabase): Names {
  const projects = new Map<string, number>();
  const agents = new Map<string, number>();
  const findProject = db.prepare<[string], number>('SELECT id FROM projects WHERE slug = ?').pluck();
  const makeProject = db.prepare('INSERT INTO projects (slug, human_key, created_at) VALUES (?, ?, ?)');
  const findAgent = db.prepare<[number, string], number>('SELECT id FROM agents WHERE project_id = ? AND name = ?').pluck();
  const makeAgent = db.prepare('INSERT INTO agents (project_id, name, inception_ts, last_active_ts) VALUES (?, ?, ?, ?)');

  const projectOf = (slug: string): number | undefined => found(projects, slug, () => findProject.get(slug));
  const agentOf = (projectId: number, name: string): number | undefined => found(agents, `${projectId} ${name}`, () => findAgent.get(projectId, name));

  return {
    projectOf,
    project: (slug, at) => projectOf(slug) ?? Number(makeProject.run(slug, slug, at).lastInsertRowid),
    agentOf,
    agent: (projectId, name, at) => agentOf(projectId, name) ?? Number(makeAgent.run(projectId, name, at, at).lastInsertRowid),
    forget() {
      projects.clear();
      agents.clear();
    },
  };
}

function found(known: Map<string, number>, key: string, look: () => number | undefined): number | undefined {
  const before = known.get(key);
  if (before !== undefined) return before;
  const id = look();
  if (id === undefined) return undefined;
  if (known.size >= REMEMBERED) known.clear();
  known.set(key, id);
  return id;
}
