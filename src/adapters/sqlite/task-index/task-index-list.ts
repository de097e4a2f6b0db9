import type { TaskFilter, TaskPage } from '../../../contracts/index.ts';
import { cursorOf, type PageCursor, parseCursor } from '../../../core/task-pages.ts';
import type { SqliteDatabase } from '../open.ts';
import { type Course, type FilterPlan, type Parameters, planFilter } from './task-index-filter.ts';
import { recordOf, type TaskRow } from './task-index-rows.ts';

/** Entries beneath a path that one page looks through in the path's own indexes; above it, rows are walked in the order of time. */
const MAX_BENEATH = 20_000;
/** Entries of an index that carries the filters, and rows that are fetched to be looked at: what one page may take. */
const STRIDES = [1000, 5000, 20_000] as const;
const CHUNKS = [500, 1000] as const;

const SPAN = 'updated >= @from AND (updated, n) < (@toUpdated, @toN)';
/** The same span as two, because SQLite would walk all rows of one time to find the place among them. */
const PARTS = ['updated >= @from AND updated = @toUpdated AND n < @toN', 'updated >= @from AND updated < @toUpdated'] as const;
const NEWEST_FIRST = 'ORDER BY updated DESC, n DESC';

export interface PageRequest {
  readonly cursor?: string;
  readonly limit: number;
}

/** Statements of the search; whoever keeps them saves their preparation. */
export type Statements = Pick<SqliteDatabase, 'prepare'>;

/**
 * A page of tasks. Places (time and number) come from the indexes alone, in their order; only rows that are shown are
 * fetched, except beneath a path with very many rows. What a page looks at is bounded, so its time does not grow with the
 * table: a search that found too little by then ends its page early, with a cursor.
 *
 * @throws WritError INVALID_ARGUMENT for a cursor that is none
 */
export function listTasks(db: Statements, filter: TaskFilter, { cursor, limit }: PageRequest): TaskPage {
  const plan = planFilter(filter);
  const search = { db, plan, limit };
  const to = cursor === undefined ? plan.to : earlier(parseCursor(cursor), plan.to);
  if (plan.beneath === undefined) return plan.course.also.length === 0 ? straight(search, to) : sieved(search, to);
  return isFew(search, plan.beneath) ? gathered(search, plan.beneath, to) : looked(search, to);
}

interface Search {
  readonly db: Statements;
  readonly plan: FilterPlan;
  readonly limit: number;
}

function earlier(a: PageCursor, b: PageCursor): PageCursor {
  return isBefore(a, b) ? a : b;
}

function isBefore(a: PageCursor, b: PageCursor): boolean {
  return a.updated < b.updated || (a.updated === b.updated && a.n < b.n);
}

/** The index answers the whole filter. */
function straight(search: Search, to: PageCursor): TaskPage {
  const places = placesOnCourse(search, to, search.limit + 1);
  return pageOf(search, places, places.length > search.limit);
}

/** The index carries the whole filter: entries that do not fit are passed over, stride by stride. */
function sieved(search: Search, start: PageCursor): TaskPage {
  const { db, plan, limit } = search;
  const { index, where, also } = plan.course;
  const found: PageCursor[] = [];
  let to = start;
  for (const part of PARTS) {
    const entries = `FROM task INDEXED BY ${index} WHERE ${[...where, part].join(' AND ')} ${NEWEST_FIRST} LIMIT`;
    const fitting = db.prepare<Parameters, PageCursor>(
      `SELECT updated, n FROM (SELECT updated, n, state, capability_id, error_code ${entries} @stride) WHERE ${also.join(' AND ')} ${NEWEST_FIRST} LIMIT @limit`,
    );
    const border = db.prepare<Parameters, PageCursor>(`SELECT updated, n ${entries} 1 OFFSET @stride - 1`);
    for (const stride of STRIDES) {
      found.push(...fitting.all({ ...bound(plan, to), stride, limit: limit + 1 - found.length }));
      if (found.length > limit) return pageOf(search, found, true);
      const last = border.get({ ...bound(plan, to), stride });
      if (last === undefined) break;
      to = last;
      if (stride === STRIDES.at(-1)) return pageOf(search, found, true, to);
    }
  }
  return pageOf(search, found, false);
}

function isFew({ db, plan }: Search, beneath: readonly Course[]): boolean {
  let left = MAX_BENEATH;
  for (const { index, where } of beneath) {
    const rows = `SELECT count(*) AS rows FROM (SELECT 1 FROM task INDEXED BY ${index} WHERE ${where.join(' AND ')} LIMIT @most)`;
    left -= db.prepare<Parameters, { rows: number }>(rows).get({ ...plan.parameters, most: left + 1 })?.rows ?? 0;
    if (left < 0) return false;
  }
  return true;
}

/** Few rows lie beneath the path: the newest of them, from the indexes of the paths. */
function gathered(search: Search, beneath: readonly Course[], to: PageCursor): TaskPage {
  const places = placesBeneath(search, beneath, to, search.limit + 1);
  return pageOf(search, places, places.length > search.limit);
}

/** Very many rows lie beneath the path: rows are looked at in the order of time. */
function looked(search: Search, start: PageCursor): TaskPage {
  const { plan, limit } = search;
  const row = rowWith(search);
  const found: TaskRow[] = [];
  let to = start;
  for (const chunk of CHUNKS) {
    const places = placesOnCourse(search, to, chunk);
    for (const place of places) {
      const fitting = row.get({ ...plan.parameters, n: place.n });
      if (fitting !== undefined) found.push(fitting);
      if (found.length === limit) return { tasks: found.map(recordOf), next: cursorOf(place) };
    }
    const last = places.at(-1);
    if (last === undefined || places.length < chunk) return { tasks: found.map(recordOf) };
    to = last;
  }
  return { tasks: found.map(recordOf), next: cursorOf(to) };
}

/** The newest places of the course; of several states side by side. */
function placesOnCourse({ db, plan }: Search, to: PageCursor, limit: number): readonly PageCursor[] {
  const { index, where, also, states } = plan.course;
  const select = PARTS.map((part) =>
    db.prepare<Parameters, PageCursor>(
      `SELECT updated, n FROM task INDEXED BY ${index} WHERE ${[...where, ...also, part].join(' AND ')} ${NEWEST_FIRST} LIMIT @limit`,
    ),
  );
  const ofState = (state: string): PageCursor[] => {
    const found: PageCursor[] = [];
    for (const places of select)
      if (found.length < limit) found.push(...places.all({ ...bound(plan, to), ...(state === '' ? {} : { state }), limit: limit - found.length }));
    return found;
  };
  return states.length === 1 ? ofState(states[0] ?? '') : newest(states.flatMap(ofState), limit);
}

/** The newest places in the indexes of the paths. */
function placesBeneath({ db, plan }: Search, beneath: readonly Course[], to: PageCursor, limit: number): readonly PageCursor[] {
  const all = beneath.flatMap(({ index, where, also }) =>
    db
      .prepare<Parameters, PageCursor>(
        `SELECT updated, n FROM task INDEXED BY ${index} WHERE ${[...where, ...also, SPAN].join(' AND ')} ${NEWEST_FIRST} LIMIT @limit`,
      )
      .all({ ...bound(plan, to), limit }),
  );
  return newest(all, limit);
}

/** A row that lies beneath the path by source and by destination was found twice. */
function newest(places: readonly PageCursor[], limit: number): readonly PageCursor[] {
  const sorted = [...places].sort((a, b) => (isBefore(a, b) ? 1 : -1));
  return sorted.filter((place, at) => place.n !== sorted[at - 1]?.n).slice(0, limit);
}

function bound({ parameters, from }: FilterPlan, to: PageCursor): Parameters {
  return { ...parameters, from: from.updated, toUpdated: to.updated, toN: to.n };
}

function rowWith({ db, plan }: Search) {
  return db.prepare<Parameters, TaskRow>(`SELECT * FROM task WHERE n = @n${plan.onRow === '' ? '' : ` AND ${plan.onRow}`}`);
}

/** Fetches the rows of the places; there may be one place more than fits. `end`: where the search stopped without filling the page. */
function pageOf(search: Search, places: readonly PageCursor[], more: boolean, end?: PageCursor): TaskPage {
  const shown = places.slice(0, search.limit);
  const row = rowWith(search);
  const rows = shown.map(({ n }) => row.get({ ...search.plan.parameters, n })).filter((one) => one !== undefined);
  const last = end ?? shown.at(-1);
  const tasks = rows.map(recordOf);
  return more && last !== undefined ? { tasks, next: cursorOf(last) } : { tasks };
}
