import { join } from 'node:path';
import type { PlanFilter, PlanStepRecord } from '../../../contracts/index.ts';
import { messageOf, WritError } from '../../../core/errors.ts';
import { wellFormed } from '../../../core/i-json.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { KeptPlan, KnownPlan, ListPage, PlanHistories } from '../../../core/ports/index.ts';
import { isThere } from '../../files/is-there.ts';
import { openDatabase, type SqliteDatabase } from '../open.ts';

type KnownState = KnownPlan['state'];
const STATES: readonly KnownState[] = ['running', 'success', 'failure'];

/** Entries of the index that one page looks at in each state: with a code that few plans have, a page ends early. */
const STRIDE = 5000;
const MAX_MESSAGE = 2000;
const FIRST_VERSION = 4;

/** A place in the order "newest change first". */
interface Place {
  readonly changed: number;
  readonly id: string;
}
const CURSOR = /^(\d{1,15})-([0-9a-f]{64})$/;
/** A declared retry of a step has a place of its own. */
const ATTEMPT = /~(\d{1,2})$/;
const SEQ = /^\d{1,9}$/;

/** The plan journal in `directory` for a process that only looks; opened for each look, so that a journal made meanwhile is found. */
export function createPlanHistories(directory: string): PlanHistories {
  const file = join(directory, 'plan.db');
  return {
    list: (filter, page) => looked(file, { plans: [] }, (db) => listPlans(db, filter, page)),
    states: (ids) => looked<ReadonlyMap<string, KnownState>>(file, new Map(), (db) => statesOf(db, ids)),
    known: (id) => looked(file, undefined, (db) => knownOf(db, id)),
    history: (id, page) => looked(file, undefined, (db) => historyOf(db, id, page)),
    kept: (id) => looked(file, undefined, (db) => keptOf(db, id)),
  };
}

/** @throws WritError STORAGE_UNAVAILABLE when there is a journal that cannot be read; one of an earlier version has no lists */
function looked<T>(file: string, absent: T, look: (db: SqliteDatabase) => T): T {
  if (!isThere(file)) return absent;
  const db = openDatabase(file, { readonly: true });
  try {
    if (Number(db.pragma('user_version', { simple: true })) < FIRST_VERSION) return absent;
    return db.transaction(() => look(db))();
  } catch (error) {
    if (error instanceof WritError) throw error;
    throw new WritError('STORAGE_UNAVAILABLE', `the plan journal cannot be read: ${messageOf(error)}`, { cause: error });
  } finally {
    db.close();
  }
}

interface IndexEntry extends Place {
  readonly state: KnownState;
  readonly code: string | null;
}

function listPlans(db: SqliteDatabase, filter: PlanFilter, { cursor, limit }: ListPage): { readonly plans: readonly KnownPlan[]; readonly next?: string } {
  const from = filter.since === undefined ? 0 : Math.max(0, Date.parse(filter.since));
  const last: Place = { changed: filter.until === undefined ? Number.MAX_SAFE_INTEGER : Math.max(0, Date.parse(filter.until)), id: '' };
  const to = cursor === undefined ? last : earlier(placeOf(cursor), last);
  const course = db.prepare<[KnownState, number, number, string, number], IndexEntry>(
    `SELECT plan_sha256 AS id, state, code, changed_at AS changed FROM plan INDEXED BY plan_by_state
     WHERE state = ? AND changed_at >= ? AND (changed_at, plan_sha256) < (?, ?) ORDER BY changed_at DESC, plan_sha256 DESC LIMIT ?`,
  );
  const stride = filter.error_code === undefined ? limit + 1 : STRIDE;
  const courses = STATES.filter((state) => filter.state === undefined || filter.state === state).map((state) =>
    course.all(state, from, to.changed, to.id, stride),
  );
  // Beyond the end of the shortest course that was cut, its next entries are not known.
  const border = courses.flatMap((entries) => (entries.length === stride ? (entries.at(-1) ?? []) : [])).reduce<Place | undefined>(later, undefined);
  const known = courses.flat().filter((entry) => border === undefined || !isBefore(entry, border));
  const fitting = known.filter(({ code }) => filter.error_code === undefined || code === filter.error_code).sort((a, b) => (isBefore(a, b) ? 1 : -1));
  const shown = fitting.slice(0, limit);
  const end = fitting.length > limit ? shown.at(-1) : border;
  return { plans: shown.map((entry) => planOf(db, entry)), ...(end === undefined ? {} : { next: `${end.changed}-${end.id}` }) };
}

/** @throws WritError INVALID_ARGUMENT */
function placeOf(cursor: string): Place {
  const [, changed, id] = CURSOR.exec(cursor) ?? [];
  if (changed === undefined || id === undefined) throw noCursor();
  return { changed: Number(changed), id };
}

function noCursor(): WritError {
  return new WritError('INVALID_ARGUMENT', 'is no cursor of a plan list', { field: 'cursor' });
}

function isBefore(a: Place, b: Place): boolean {
  return a.changed < b.changed || (a.changed === b.changed && a.id < b.id);
}
const earlier = (a: Place, b: Place): Place => (isBefore(a, b) ? a : b);
const later = (a: Place | undefined, b: Place): Place => (a !== undefined && isBefore(b, a) ? a : b);

function planOf(db: SqliteDatabase, { id, state, changed }: IndexEntry): KnownPlan {
  const row = db
    .prepare<[string], { code: string | null; message: string | null; steps: number }>(
      'SELECT code, substr(message, 1, 2000) AS message, (SELECT count(*) FROM entry WHERE entry.plan_sha256 = plan.plan_sha256 AND voided = 0) AS steps FROM plan WHERE plan_sha256 = ?',
    )
    .get(id);
  const error = row?.code == null ? undefined : { code: row.code, message: wellFormed((row.message ?? '').slice(0, MAX_MESSAGE)) };
  return { id, state, stepsDone: row?.steps ?? 0, error, updated: changed };
}

function knownOf(db: SqliteDatabase, id: string): KnownPlan | undefined {
  const entry = db.prepare<[string], IndexEntry>('SELECT plan_sha256 AS id, state, code, changed_at AS changed FROM plan WHERE plan_sha256 = ?').get(id);
  return entry && planOf(db, entry);
}

function keptOf(db: SqliteDatabase, id: string): KeptPlan | undefined {
  const row = db
    .prepare<[string], { lease: string; text: string }>('SELECT lease, text FROM plan JOIN envelope USING (plan_sha256) WHERE plan_sha256 = ?')
    .get(id);
  return row && { lease: row.lease, envelope: JSON.parse(row.text) as JsonObject };
}

function statesOf(db: SqliteDatabase, ids: readonly string[]): ReadonlyMap<string, KnownState> {
  const select = db.prepare<[string], { state: KnownState }>('SELECT state FROM plan WHERE plan_sha256 = ?');
  return new Map(
    ids.flatMap((id) => {
      const row = select.get(id);
      return row === undefined ? [] : [[id, row.state] as const];
    }),
  );
}

interface StepRow {
  readonly seq: number;
  readonly path: string;
  readonly task_id: string;
  readonly generation: number;
  readonly capability_id: string | null;
  readonly voided: number;
  readonly since: number | null;
  readonly at: number | null;
  readonly status: string | null;
  readonly code: string | null;
}

function historyOf(db: SqliteDatabase, id: string, { cursor, limit }: ListPage): ReturnType<PlanHistories['history']> {
  if (cursor !== undefined && !SEQ.test(cursor)) throw noCursor();
  const plan = db
    .prepare<[string], { state: KnownState; generation: number; changed: number }>(
      'SELECT state, generation, changed_at AS changed FROM plan WHERE plan_sha256 = ?',
    )
    .get(id);
  if (plan === undefined) return undefined;
  const rows = db
    .prepare<[string, number, number], StepRow>(
      `SELECT seq, path, task_id, generation, capability_id, voided, since, at, executor_result ->> '$.status' AS status,
       executor_result ->> '$.error.error_code' AS code FROM entry WHERE plan_sha256 = ? AND seq > ? ORDER BY seq LIMIT ?`,
    )
    .all(id, Number(cursor ?? 0), limit + 1);
  const shown = rows.slice(0, limit);
  const next = rows.length > limit ? shown.at(-1)?.seq : undefined;
  const { state, generation, changed } = plan;
  const head = { plan_id: id, state, retries: generation, updated_at: new Date(changed).toISOString(), steps: shown.map(stepOf) };
  return next === undefined ? head : { ...head, next: String(next) };
}

function stepOf({ path, task_id, generation, capability_id, voided, since, at, status, code }: StepRow): PlanStepRecord {
  const attempt = ATTEMPT.exec(path)?.[1];
  return {
    path: wellFormed(path),
    task_id,
    generation,
    ...(attempt === undefined ? {} : { attempt: Number(attempt) }),
    ...(capability_id === null ? {} : { capability_id }),
    state: status === 'SUCCESS' ? 'success' : 'failure',
    ...(code === null ? {} : { error_code: code }),
    voided: voided === 1,
    ...(since === null ? {} : { since: new Date(since).toISOString() }),
    ...(at === null ? {} : { ended_at: new Date(at).toISOString() }),
  };
}
