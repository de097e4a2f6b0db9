import type { BareNotice, DeadNotices, NewNotice, NoticeCounts } from '../../../core/ports/index.ts';
import type { SqliteDatabase } from '../open.ts';

/** What the outbox may keep. */
export interface OutboxLimits {
  /** Bytes of the texts of one endpoint, pending and dead. */
  readonly endpointBytes: number;
  /** Notices in all, where what has ended makes room; and wishes in all, where those that were told do. */
  readonly maxNotices: number;
}

interface BareRow {
  readonly id: string;
  readonly endpoint: string;
  readonly task_id: string;
  readonly capability: string | null;
  readonly outcome_at: number | null;
}

type Values = Record<string, string | number | null>;

const NO_ROOM = 'the outbox had no room for its text; it is made again when it is sent again';

/** The bound of the outbox (docs/webhooks.md, Room), on an open database. */
export function outboxRoom(db: SqliteDatabase, { endpointBytes, maxNotices }: OutboxLimits) {
  const insert = db.prepare<Values>(
    `INSERT INTO notice (id, endpoint, task_id, body, state, next_at, created_at, ended_at, problem, capability, outcome_at)
     VALUES (@id, @endpoint, @taskId, @body, @state, @now, @now, @endedAt, @problem, @capabilityId, @at)`,
  );
  const isThere = db.prepare<[string]>('SELECT 1 FROM notice WHERE id = ?');
  const held = db.prepare<[string, string], { bytes: number }>('SELECT bytes FROM tally WHERE endpoint = ? AND state = ?');
  const oldestDead = db.prepare<[string], { seq: number }>("SELECT seq FROM notice WHERE endpoint = ? AND state = 'dead' AND body <> '' ORDER BY seq LIMIT 1");
  const dropText = db.prepare<Values>("UPDATE notice SET body = '' WHERE seq = @seq");
  const bareOf = db.prepare<Values, BareRow>(
    "SELECT * FROM notice WHERE endpoint = @endpoint AND state = 'dead' AND body = '' AND lost = 0 AND capability IS NOT NULL ORDER BY seq LIMIT @limit",
  );
  const bareOne = db.prepare<Values, BareRow>("SELECT * FROM notice WHERE id = @id AND state = 'dead' AND body = '' LIMIT @limit");
  const restore = db.prepare<Values>(
    "UPDATE notice SET state = 'pending', body = @body, attempts = 0, first_at = NULL, next_at = @now, ended_at = NULL, lost = 0 WHERE id = @id AND state = 'dead'",
  );
  const endpointOf = db.prepare<[string], { endpoint: string }>('SELECT endpoint FROM notice WHERE id = ?');
  const lose = db.prepare<Values>("UPDATE notice SET lost = 1, problem = @problem WHERE id = @id AND state = 'dead'");
  const oldestPending = '(SELECT created_at FROM notice AS n WHERE n.state = t.state AND n.endpoint = t.endpoint ORDER BY seq LIMIT 1)';
  const tally = db.prepare<[], { endpoint: string; state: NoticeCounts['state']; notices: number; bytes: number; oldestAt: number | null }>(
    `SELECT endpoint, state, notices, bytes, iif(state = 'pending', ${oldestPending}, NULL) AS oldestAt FROM tally AS t WHERE notices > 0`,
  );
  const forget = db.prepare<Values>(
    'DELETE FROM notice WHERE seq IN (SELECT seq FROM notice WHERE state = @state AND ended_at < @before ORDER BY ended_at LIMIT @limit)',
  );

  const bytesOf = (endpoint: string, state: NoticeCounts['state']): number => held.get(endpoint, state)?.bytes ?? 0;

  /** Drops texts of dead notices until there is room beside what is pending; answers how many, or `undefined` where that is not enough. */
  function makeRoom(endpoint: string, bytes: number): number | undefined {
    const free = endpointBytes - bytesOf(endpoint, 'pending') - bytes;
    if (free < 0) return undefined;
    let dropped = 0;
    while (bytesOf(endpoint, 'dead') > free) {
      const oldest = oldestDead.get(endpoint);
      if (oldest === undefined) break;
      dropped += dropText.run(oldest).changes;
    }
    return dropped;
  }

  /** Answers how many texts were dropped for it, its own included; `undefined` when it is there already. */
  function add({ id, endpoint, taskId, body, capabilityId, at }: NewNotice, now: number): number | undefined {
    if (isThere.get(id) !== undefined) return undefined;
    const dropped = makeRoom(endpoint, Buffer.byteLength(body));
    const as = dropped === undefined ? { state: 'dead', body: '', problem: NO_ROOM, endedAt: now } : { state: 'pending', body, problem: null, endedAt: null };
    insert.run({ id, endpoint, taskId, capabilityId, at, now, ...as });
    return dropped ?? 1;
  }

  return {
    add(notices: readonly NewNotice[], now: number) {
      const done = notices.flatMap((notice) => add(notice, now) ?? []);
      return { added: done.length, dropped: done.reduce((sum, one) => sum + one, 0) };
    },

    bare: (which: DeadNotices, limit: number): readonly BareNotice[] => ('id' in which ? bareOne : bareOf).all({ ...which, limit }).flatMap(bareNotice),

    restore(id: string, body: string, now: number): boolean {
      const endpoint = endpointOf.get(id)?.endpoint;
      if (endpoint === undefined || makeRoom(endpoint, Buffer.byteLength(body)) === undefined) return false;
      return restore.run({ id, body, now }).changes > 0;
    },

    lose: (id: string, problem: string): void => void lose.run({ id, problem }),

    counts: (): readonly NoticeCounts[] => tally.all().map(({ oldestAt, ...counts }) => ({ ...counts, oldestAt: oldestAt ?? undefined })),

    trim(before: number, limit: number) {
      const over = (state: string, time: number, most: number): number => (most <= 0 ? 0 : forget.run({ state, before: time, limit: most }).changes);
      const aged = over('delivered', before, limit) + over('dead', before, limit);
      const surplus = (): number => Math.min(limit, tally.all().reduce((sum, { notices }) => sum + notices, 0) - maxNotices);
      const delivered = over('delivered', Number.MAX_SAFE_INTEGER, surplus());
      const forgotten = over('dead', Number.MAX_SAFE_INTEGER, surplus());
      return { trimmed: aged + delivered + forgotten, forgotten };
    },
  };
}

/** One of an older version does not say what its text is made of. */
function bareNotice({ id, endpoint, task_id: taskId, capability: capabilityId, outcome_at: at }: BareRow): readonly BareNotice[] {
  return capabilityId === null || at === null ? [] : [{ id, endpoint, taskId, capabilityId, at }];
}
