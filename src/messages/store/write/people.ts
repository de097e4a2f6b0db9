import { type Done, type OpOf, UNCHANGED, type WriteParts } from './parts.ts';

/** What of an agent may be told; what is not told stays as it is. */
const TOLD = ['program', 'model', 'task_description', 'inception_ts', 'last_active_ts', 'attachments_policy', 'contact_policy'] as const;
type Told = { readonly [K in (typeof TOLD)[number]]: string | number };

export interface PeopleWriter {
  agent(op: OpOf<'agent'>, at: number): Done;
  contact(op: OpOf<'contact'>, at: number): Done;
}

export function createPeopleWriter({ db, names, stamps }: WriteParts): PeopleWriter {
  const find = db.prepare<[number], Told>(`SELECT ${TOLD.join(', ')} FROM agents WHERE id = ?`);
  const setWords = db.prepare('UPDATE agents SET program = @program, model = @model, task_description = @task_description WHERE id = @id');
  const setRest = db.prepare(
    `UPDATE agents SET inception_ts = @inception_ts, last_active_ts = @last_active_ts, attachments_policy = @attachments_policy,
     contact_policy = @contact_policy WHERE id = @id`,
  );
  const link = db.prepare(
    `INSERT INTO agent_links (a_project_id, a_agent_id, b_project_id, b_agent_id, status, reason, created_ts, updated_ts, expires_ts)
     VALUES (@aProject, @aAgent, @bProject, @bAgent, @status, @reason, @at, @at, @expires)
     ON CONFLICT DO UPDATE SET status = excluded.status, reason = excluded.reason, updated_ts = excluded.updated_ts, expires_ts = excluded.expires_ts
     WHERE (status, reason, expires_ts) IS NOT (excluded.status, excluded.reason, excluded.expires_ts)`,
  );

  return {
    agent(op, at) {
      const projectId = names.project(op.project, at);
      const isNew = names.agentOf(projectId, op.name) === undefined;
      const id = names.agent(projectId, op.name, at);
      const stamp = JSON.stringify([op.project, op.name]);
      if (stamps.overtaken('agent', stamp, at)) return UNCHANGED;
      stamps.set('agent', stamp, at);
      const stored = find.get(id);
      if (stored === undefined) return UNCHANGED;
      const told: Partial<Told> = Object.fromEntries(TOLD.flatMap((column) => (op[column] === undefined ? [] : [[column, op[column]]])));
      const next: Told = { ...stored, ...told };
      const differs = (columns: readonly (keyof Told)[]): boolean => columns.some((column) => stored[column] !== next[column]);
      const hasNewWords = differs(['program', 'model', 'task_description']);
      if (hasNewWords) setWords.run({ ...next, id });
      const hasNewRest = differs(['inception_ts', 'last_active_ts', 'attachments_policy', 'contact_policy']);
      if (hasNewRest) setRest.run({ ...next, id });
      if (isNew) return { what: 'inserted', documents: 1 };
      return hasNewWords || hasNewRest ? { what: 'updated', documents: hasNewWords ? 1 : 0 } : UNCHANGED;
    },
    contact(op, at) {
      const stamp = JSON.stringify([op.from.project, op.from.name, op.to.project, op.to.name]);
      if (stamps.overtaken('contact', stamp, at)) return UNCHANGED;
      stamps.set('contact', stamp, at);
      const aProject = names.project(op.from.project, at);
      const bProject = names.project(op.to.project, at);
      const [aAgent, bAgent] = [names.agent(aProject, op.from.name, at), names.agent(bProject, op.to.name, at)];
      const { changes } = link.run({ aProject, aAgent, bProject, bAgent, status: op.status, reason: op.reason, expires: op.expires_ts, at });
      return changes === 0 ? UNCHANGED : { what: 'updated' };
    },
  };
}
