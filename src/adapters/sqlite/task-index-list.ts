import type { TaskFilter, TaskPage } from '../../contracts/index.ts';
import { cursorOf, type PagePlace, placeOf } from '../../core/task-pages.ts';
import type { SqliteDatabase } from './open.ts';
import { type Course, type FilterPlan, PATH_SOURCES, type Parameters, pathRanges, planFilter } from './task-index-filter.ts';
import { recordOf, type TaskRow } from './task-index-rows.ts';

/** Rows that a search by path gathers and sorts; above it, rows are walked in the order of time. */
const MOST_GATHERED = 10_000;
/** Rows that are looked at in one stride, and strides that one page may take. */
const STRIDE = 5_000;
const STRIDES = 2;

const SPAN = '(updated, n) >= (@fromUpdated, @fromN) AND (updated, n) < (@toUpdated, @toN)';
const NEWEST_FIRST = 'ORDER BY updated DESC, n DESC';

export interface PageRequest {
  readonly cursor?: string;
  readonly limit: number;
}

/**
 * A page of tasks. The index that promises the fewest rows leads; how many is counted, up to a bound, in the indexes
 * themselves. No page looks at more than about `STRIDE * STRIDES` rows, so its time does not grow with the table: a
 * search that found too little by then ends its page early, with a cursor.
 *
 * @throws WritError INVALID_ARGUMENT for a cursor that is none
 */
export function listTasks(db: Pick<SqliteDatabase, 'prepare'>, filter: TaskFilter, { cursor, limit }: PageRequest): TaskPage {
  const plan = planFilter(filter);
  const to = cursor === undefined ? plan.to : earlier(placeOf(cursor), plan.to);
  const search = { db, plan, limit };
  const course = leader(search, to);
  return course === 'path' ? gather(search, to) : walk(search, course, to);
}

interface Search {
  readonly db: Pick<SqliteDatabase, 'prepare'>;
  readonly plan: FilterPlan;
  readonly limit: number;
}

function earlier(a: PagePlace, b: PagePlace): PagePlace {
  return a.updated < b.updated || (a.updated === b.updated && a.n < b.n) ? a : b;
}

/** The first course is the narrowest; it leads at once when no row of it is looked at in vain. */
function leader(search: Search, to: PagePlace): Course | 'path' {
  const { courses, path } = search.plan;
  const [first] = courses;
  if (first?.whole) return first;
  const counted = courses.map((course) => ({ course, rows: rowsOf(search, course, to) }));
  const best = counted.reduce((fewest, one) => (one.rows < fewest.rows ? one : fewest));
  if (!path) return best.course;
  const beneath = pathRows(search);
  return beneath <= MOST_GATHERED && beneath <= best.rows ? 'path' : best.course;
}

/** Infinite: more than a stride. */
function rowsOf(search: Search, { index, where }: Course, to: PagePlace): number {
  const inside = `SELECT 1 FROM task INDEXED BY ${index} WHERE ${[...where, SPAN].join(' AND ')} LIMIT ${STRIDE + 1}`;
  const rows = count(search, inside, to);
  return rows > STRIDE ? Number.POSITIVE_INFINITY : rows;
}

function pathRows(search: Search): number {
  const parts = PATH_SOURCES.flatMap(({ index, column }) =>
    pathRanges(column).map((range) => `SELECT * FROM (SELECT 1 FROM task INDEXED BY ${index} WHERE ${range} LIMIT ${MOST_GATHERED + 1})`),
  );
  return count(search, parts.join(' UNION ALL '), search.plan.to);
}

function count({ db, plan }: Search, inside: string, to: PagePlace): number {
  const sql = `SELECT count(*) AS rows FROM (${inside})`;
  return db.prepare<Parameters, { rows: number }>(sql).get(bound(plan, to))?.rows ?? 0;
}

/** Few rows lie beneath the path: their places, from the indexes alone, sorted; then rows until the page is full. */
function gather({ db, plan, limit }: Search, to: PagePlace): TaskPage {
  const beneath = PATH_SOURCES.flatMap(({ index, column }) =>
    pathRanges(column).map((range) => `SELECT updated, n FROM task INDEXED BY ${index} WHERE ${range} AND ${SPAN}`),
  );
  const places = db.prepare<Parameters, PagePlace>(`${beneath.join(' UNION ')} ${NEWEST_FIRST}`).all(bound(plan, to));
  const row = db.prepare<Parameters, TaskRow>(`SELECT * FROM task WHERE ${['n = @n', ...plan.conditions].join(' AND ')}`);
  const found: TaskRow[] = [];
  for (const { n } of places) {
    const fitting = row.get({ ...plan.parameters, n });
    if (fitting !== undefined) found.push(fitting);
    if (found.length > limit) break;
  }
  return pageOf(found, limit);
}

/** In the order of time, stride by stride. */
function walk({ db, plan, limit }: Search, { index, where, whole }: Course, start: PagePlace): TaskPage {
  const course = `FROM task INDEXED BY ${index} WHERE ${[...where, SPAN].join(' AND ')}`;
  const border = db.prepare<Parameters, PagePlace>(`SELECT updated, n ${course} ${NEWEST_FIRST} LIMIT 1 OFFSET ${STRIDE - 1}`);
  const narrowed = plan.conditions.length === 0 ? '' : `AND ${plan.conditions.join(' AND ')}`;
  const rows = db.prepare<Parameters, TaskRow>(`SELECT * ${course} ${narrowed} ${NEWEST_FIRST} LIMIT @limit`);
  if (whole) return pageOf(rows.all({ ...bound(plan, start), limit: limit + 1 }), limit);

  const found: TaskRow[] = [];
  let to = start;
  for (let stride = 0; stride < STRIDES; stride += 1) {
    const last = border.get(bound(plan, to));
    const inStride = last === undefined ? bound(plan, to) : { ...bound(plan, to), fromUpdated: last.updated, fromN: last.n };
    found.push(...rows.all({ ...inStride, limit: limit + 1 - found.length }));
    if (last === undefined || found.length > limit) return pageOf(found, limit);
    to = last;
  }
  return { tasks: found.map(recordOf), next: cursorOf(to) };
}

function bound({ parameters, from }: FilterPlan, to: PagePlace): Parameters {
  return { ...parameters, fromUpdated: from.updated, fromN: from.n, toUpdated: to.updated, toN: to.n };
}

/** The rows are one more than fit when there are more. */
function pageOf(rows: readonly TaskRow[], limit: number): TaskPage {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const tasks = shown.map(recordOf);
  return rows.length > limit && last !== undefined ? { tasks, next: cursorOf(last) } : { tasks };
}
