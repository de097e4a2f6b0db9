import type { NoticeList, NoticeState, NoticeView } from '../../../contracts/index.ts';
import { planOfSubject, planSubject } from '../../../core/notice-subject.ts';
import type { NoticeFilter, OutboxPlace, PendingNotice, PlanPlace, WebhookOutbox } from '../../../core/ports/index.ts';
import type { SqliteDatabase } from '../open.ts';
import { type OutboxLimits, outboxRoom } from './webhook-outbox-room.ts';
import { outboxWishes } from './webhook-outbox-wishes.ts';

interface Row {
  readonly seq: number;
  readonly id: string;
  readonly endpoint: string;
  readonly task_id: string;
  readonly body: string;
  readonly state: NoticeState;
  readonly attempts: number;
  readonly first_at: number | null;
  readonly next_at: number;
  readonly problem: string | null;
  readonly created_at: number;
  readonly ended_at: number | null;
}

type Values = Record<string, string | number | null>;

/** The port without promises. */
export type OutboxStatements = { [K in keyof WebhookOutbox]: (...args: Parameters<WebhookOutbox[K]>) => Awaited<ReturnType<WebhookOutbox[K]>> };

/** The operations of the outbox on an open database; each blocks its thread and needs a transaction around it. */
export function outboxStatements(db: SqliteDatabase, limits: OutboxLimits): OutboxStatements {
  const room = outboxRoom(db, limits);
  const wishes = outboxWishes(db, limits);
  const readPlace = db.prepare<[], { event: number | null; seen_at: number }>('SELECT event, seen_at FROM place');
  const writePlace = db.prepare<Values>(
    'INSERT INTO place (one, event, seen_at) VALUES (1, @event, @seenAt) ON CONFLICT (one) DO UPDATE SET event = excluded.event, seen_at = excluded.seen_at',
  );
  const readPlanPlace = db.prepare<[], { queue: string | null; seen_at: number }>('SELECT queue, seen_at FROM plan_place');
  const writePlanPlace = db.prepare<Values>(
    'INSERT INTO plan_place (one, queue, seen_at) VALUES (1, @queue, @seenAt) ON CONFLICT (one) DO UPDATE SET queue = excluded.queue, seen_at = excluded.seen_at',
  );
  const due = db.prepare<Values, Row>(
    `SELECT * FROM notice AS n WHERE endpoint = @endpoint AND state = 'pending' AND (next_at <= @now OR next_at > @tooFar)
       AND NOT EXISTS (SELECT 1 FROM notice AS e WHERE e.endpoint = n.endpoint AND e.task_id = n.task_id AND e.state = 'pending' AND e.seq < n.seq)
     ORDER BY next_at, seq LIMIT @limit`,
  );
  const next = db.prepare<Values, { at: number | null }>(
    "SELECT min(next_at) AS at FROM notice WHERE endpoint = @endpoint AND state = 'pending' AND next_at > @now",
  );
  const deliver = db.prepare<Values>(
    "UPDATE notice SET state = 'delivered', body = '', problem = NULL, ended_at = @now WHERE seq = @seq AND state = 'pending'",
  );
  const fail = db.prepare<Values>(
    `UPDATE notice SET state = @state, problem = @problem, attempts = @attempts, first_at = @firstAt, next_at = coalesce(@nextAt, next_at), ended_at = @endedAt
     WHERE seq = @seq AND state = 'pending'`,
  );
  const REVIVE = "UPDATE notice SET state = 'pending', attempts = 0, first_at = NULL, next_at = @now, ended_at = NULL WHERE state = 'dead' AND body <> ''";
  const resendOne = db.prepare<Values>(`${REVIVE} AND id = @id`);
  const resendAll = db.prepare<Values>(`${REVIVE} AND endpoint = @endpoint`);
  const read = db.prepare<[string], Row>('SELECT * FROM notice WHERE id = ?');

  function place(): OutboxPlace | undefined {
    const row = readPlace.get();
    return row && { event: row.event ?? undefined, seenAt: row.seen_at };
  }

  function planPlace(): PlanPlace | undefined {
    const row = readPlanPlace.get();
    return row && { queue: row.queue ?? undefined, seenAt: row.seen_at };
  }

  return {
    place,
    begin(seenAt) {
      const before = place();
      if (before === undefined) writePlace.run({ event: null, seenAt });
      return before ?? { event: undefined, seenAt };
    },

    planPlace,
    beginPlans(seenAt) {
      const before = planPlace();
      if (before === undefined) writePlanPlace.run({ queue: null, seenAt });
      return before ?? { queue: undefined, seenAt };
    },

    add(notices, place, now) {
      const done = room.add(notices, now);
      for (const notice of notices) wishes.told(notice);
      if (place === undefined) return done;
      const { seenAt } = place;
      if ('queue' in place) writePlanPlace.run({ queue: place.queue ?? null, seenAt });
      else writePlace.run({ event: place.event ?? null, seenAt });
      return done;
    },

    want: wishes.want,
    wantedBy: wishes.wantedBy,

    due: (endpoint, now, longest, limit) => ({
      notices: due.all({ endpoint, now, tooFar: now + longest, limit }).map(pending),
      nextAt: next.get({ endpoint, now })?.at ?? undefined,
    }),

    settle(seq, change, now) {
      if (change.state === 'delivered') return void deliver.run({ seq, now });
      const { state, problem, attempts, firstAt } = change;
      const nextAt = change.state === 'pending' ? change.nextAt : null;
      fail.run({ seq, state, problem, attempts, firstAt, nextAt, endedAt: change.state === 'dead' ? now : null });
    },

    resend: (which, now) => ('id' in which ? resendOne.run({ id: which.id, now }) : resendAll.run({ endpoint: which.endpoint, now })).changes,

    list(filter, before, limit): NoticeList {
      const { sql, values } = whereOf(filter, before);
      const rows = db.prepare<Values, Row>(`SELECT * FROM notice WHERE ${sql} ORDER BY seq DESC LIMIT @limit`).all({ ...values, limit: limit + 1 });
      const last = rows.length > limit ? rows[limit - 1] : undefined;
      return { notices: rows.slice(0, limit).map(line), ...(last === undefined ? {} : { next: String(last.seq) }) };
    },

    read(id): NoticeView | undefined {
      const row = read.get(id);
      return row && { ...line(row), ...(row.body === '' ? {} : { body: row.body }) };
    },

    bare: room.bare,
    restore: room.restore,
    lose: room.lose,
    counts: room.counts,

    trim(before, now, limit) {
      wishes.trim(now);
      return room.trim(before, limit);
    },
  };
}

function whereOf({ endpoint, state, task, plan }: NoticeFilter, before: number | undefined): { readonly sql: string; readonly values: Values } {
  const given = [
    { sql: 'endpoint = @endpoint', name: 'endpoint', value: endpoint },
    { sql: 'state = @state', name: 'state', value: state },
    { sql: 'task_id = @task', name: 'task', value: task },
    { sql: 'task_id = @plan', name: 'plan', value: plan === undefined ? undefined : planSubject(plan) },
    { sql: 'seq < @before', name: 'before', value: before },
  ].filter((part) => part.value !== undefined);
  return {
    sql: given.map((part) => part.sql).join(' AND ') || 'TRUE',
    values: Object.fromEntries(given.map(({ name, value }) => [name, value ?? null])),
  };
}

function pending({ seq, id, task_id: taskId, body, attempts, first_at: firstAt }: Row): PendingNotice {
  return { seq, id, taskId, body, attempts, firstAt: firstAt ?? undefined };
}

function line(row: Row): NoticeList['notices'][number] {
  const plan = planOfSubject(row.task_id);
  return {
    id: row.id,
    endpoint: row.endpoint,
    ...(plan === undefined ? { task_id: row.task_id } : { plan_id: plan }),
    state: row.state,
    attempts: row.attempts,
    created_at: timeText(row.created_at),
    ...(row.state === 'pending' ? { next_at: timeText(row.next_at) } : {}),
    ...(row.ended_at === null ? {} : { ended_at: timeText(row.ended_at) }),
    ...(row.problem === null ? {} : { problem: row.problem }),
  };
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
