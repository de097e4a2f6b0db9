import type { TaskFilter } from '../../contracts/index.ts';
import { type PagePlace, pathSpan, spanOf } from '../../core/task-pages.ts';

export type Parameters = Readonly<Record<string, string | number>>;

/** Rows in one index, in the order of their times. `where` is the part that the index answers beside the time. */
export interface Course {
  readonly index: string;
  readonly where: readonly string[];
  /** Whether the index answers the whole filter, so that no row is looked at in vain. */
  readonly whole: boolean;
}

/** A filter as SQL: every condition, the courses that could lead the search, and the path, which is no course. */
export interface FilterPlan {
  readonly conditions: readonly string[];
  readonly courses: readonly Course[];
  readonly path: boolean;
  readonly parameters: Parameters;
  readonly from: PagePlace;
  readonly to: PagePlace;
}

/** Filters for equality: field of the filter → column. */
const COLUMN = { state: 'state', capability: 'capability_id', error_code: 'error_code', plan: 'plan' } satisfies Partial<Record<keyof TaskFilter, string>>;
type Field = keyof typeof COLUMN;

const INDEXES: readonly { readonly index: string; readonly fields: readonly Field[] }[] = [
  { index: 'task_by_state_and_capability', fields: ['state', 'capability'] },
  { index: 'task_by_plan', fields: ['plan'] },
  { index: 'task_by_code', fields: ['error_code'] },
  { index: 'task_by_capability', fields: ['capability'] },
  { index: 'task_by_state', fields: ['state'] },
  { index: 'task_by_time', fields: [] },
];

/** Rows beneath a path, by source and by destination. `between` is what the text columns are compared with. */
export const PATH_SOURCES = [
  { index: 'task_by_source', column: 'source_path' },
  { index: 'task_by_destination', column: 'destination_path' },
] as const;

const equals = (field: Field): string => `${COLUMN[field]} = @${field}`;
/** Two ranges, exact and beneath; SQLite answers each from the index. */
export const pathRanges = (column: string): readonly string[] => [`${column} = @pathExact`, `${column} >= @pathFrom AND ${column} < @pathTo`];

export function planFilter(filter: TaskFilter): FilterPlan {
  const given = (Object.keys(COLUMN) as Field[]).filter((field) => filter[field] !== undefined);
  const { from, to } = spanOf(filter);
  const path = filter.path === undefined ? undefined : pathSpan(filter.path);
  const courses = INDEXES.filter(({ fields }) => fields.every((field) => given.includes(field))).map(({ index, fields }) => ({
    index,
    where: fields.map(equals),
    whole: path === undefined && fields.length === given.length,
  }));
  const beneath = PATH_SOURCES.flatMap(({ column }) => pathRanges(column)).map((range) => `(${range})`);
  const parameters: Record<string, string | number> = path === undefined ? {} : { pathExact: path.exact, pathFrom: path.from, pathTo: path.to };
  for (const field of given) parameters[field] = filter[field] ?? '';
  return {
    conditions: [...given.map(equals), ...(path === undefined ? [] : [`(${beneath.join(' OR ')})`])],
    courses,
    path: path !== undefined,
    parameters,
    from,
    to,
  };
}
