import type { SqliteDatabase } from '../../sqlite/open.ts';

interface Recipients {
  /** Of a new message: agent → kind. */
  add(message: number, all: ReadonlyMap<number, string>): void;
  /** Of an old one; those who stay keep what they have read. Whether anything differs. */
  replace(message: number, all: ReadonlyMap<number, string>): boolean;
}

export function createRecipients(db: SqliteDatabase): Recipients {
  const insert = db.prepare('INSERT INTO message_recipients (message_id, agent_id, kind) VALUES (?, ?, ?)');
  const find = db.prepare<[number], { agent_id: number; kind: string }>('SELECT agent_id, kind FROM message_recipients WHERE message_id = ?');
  const change = db.prepare('UPDATE message_recipients SET kind = ? WHERE message_id = ? AND agent_id = ?');
  const remove = db.prepare('DELETE FROM message_recipients WHERE message_id = ? AND agent_id = ?');
  return {
    add(message, all) {
      for (const [agent, kind] of all) insert.run(message, agent, kind);
    },
    replace(message, all) {
      const stored = new Map(find.all(message).map(({ agent_id: agent, kind }) => [agent, kind]));
      let differs = false;
      for (const [agent, kind] of all) {
        if (stored.get(agent) === kind) continue;
        differs = true;
        if (stored.has(agent)) change.run(kind, message, agent);
        else insert.run(message, agent, kind);
      }
      for (const agent of stored.keys()) {
        if (all.has(agent)) continue;
        differs = true;
        remove.run(message, agent);
      }
      return differs;
    },
  };
}
