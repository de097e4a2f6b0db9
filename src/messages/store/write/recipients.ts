import type { SqliteDatabase } from '../../../adapters/sqlite/open.ts';

/** How somebody got a message; `null`: nobody said when it was read or acknowledged. */
export interface Receipt {
  readonly kind: string;
  readonly read_ts: number | null;
  readonly ack_ts: number | null;
}

interface Recipients {
  /** Of a new message, by agent. */
  add(message: number, all: ReadonlyMap<number, Receipt>): void;
  /** Of an old one; those who stay keep what they have read, unless something else is told. Whether anything differs. */
  replace(message: number, all: ReadonlyMap<number, Receipt>): boolean;
}

export function createRecipients(db: SqliteDatabase): Recipients {
  const insert = db.prepare('INSERT INTO message_recipients (message_id, agent_id, kind, read_ts, ack_ts) VALUES (?, ?, ?, ?, ?)');
  const find = db.prepare<[number], Receipt & { agent_id: number }>('SELECT agent_id, kind, read_ts, ack_ts FROM message_recipients WHERE message_id = ?');
  const change = db.prepare('UPDATE message_recipients SET kind = ?, read_ts = ?, ack_ts = ? WHERE message_id = ? AND agent_id = ?');
  const remove = db.prepare('DELETE FROM message_recipients WHERE message_id = ? AND agent_id = ?');
  return {
    add(message, all) {
      for (const [agent, { kind, read_ts, ack_ts }] of all) insert.run(message, agent, kind, read_ts, ack_ts);
    },
    replace(message, all) {
      const stored = new Map(find.all(message).map((row) => [row.agent_id, row]));
      let differs = false;
      for (const [agent, told] of all) {
        const old = stored.get(agent);
        const next = { kind: told.kind, read_ts: told.read_ts ?? old?.read_ts ?? null, ack_ts: told.ack_ts ?? old?.ack_ts ?? null };
        if (old?.kind === next.kind && old.read_ts === next.read_ts && old.ack_ts === next.ack_ts) continue;
        differs = true;
        if (old === undefined) insert.run(message, agent, next.kind, next.read_ts, next.ack_ts);
        else change.run(next.kind, next.read_ts, next.ack_ts, message, agent);
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
