import type { TaskFilter } from '../../../contracts/index.ts';
import { type PageCursor, pathSpan, spanOf } from '../../../core/task-pages.ts';

export type Parameters = Readonly<Record<string, string | number>>;

/** Filters for equality: field of the filter → column. */
const COLUMN = { state: 'state', capability: 'capability_id', error_code: 'error_code', plan: 'plan' } satisfies Partial<Record<keyof TaskFilter, string>>;
type Field = keyof typeof COLUMN;

/** All states that are shown; named once more, because their contract would bring its checks along into the threads of the index. */
const STATES = Object.keys({ waiting: 1, delayed: 1, running: 1, success: 1, failure: 1 } satisfies Record<NonNullable<TaskFilter['state']>, 1>);

/** Rows of one index in the order of their times. A course is exact for the filters in its `fields`. */
const COURSES: readonly { readonly index: string; readonly fields: readonly Field[] }[] = [
  { index: 'task_by_plan', fields: ['plan'] },
  { index: 'task_by_code_and_capability', fields: ['state', 'error_code', 'capability'] },
  { index: 'task_by_code', fields: ['state', 'error_code'] },
  { index: 'task_by_capability', fields: ['state', 'capability'] },
  { index: 'task_by_state', fields: ['state'] },
  { index: 'task_by_time', fields: [] },
];

/** Rows beneath a path, by source and by destination. */
const PATH_INDEXES = [
  { index: 'task_by_source', column: 'source_path' },
  { index: 'task_by_destination', column: 'destination_path' },
] as const;

export interface Course {
  readonly index: string;
  /** Conditions that the index answers by its place. */
  readonly where: readonly string[];
  /** Conditions on columns that the index carries. */
  readonly also: readonly string[];
  /** Values of `@state` that are walked side by side: one, or all states for an index that begins with it. */
  readonly states: readonly string[];
}

/** A filter as SQL. */
export interface FilterPlan {
  readonly course: Course;
  /** The same search in the indexes of the paths: ranges that may overlap. `undefined` without a path. */
  readonly beneath: readonly Course[] | undefined;
  /** What only the row itself tells, `''` when nothing is left to tell. */
  readonly onRow: string;
  readonly parameters: Parameters;
  readonly from: PageCursor;
  readonly to: PageCursor;
}

const equals = (field: Field): string => `${COLUMN[field]} = @${field}`;
/** SQLite answers each range from the index. */
const ranges = (column: string): readonly string[] => [`${column} = @pathExact`, `${column} >= @pathFrom AND ${column} < @pathTo`];

export function planFilter(filter: TaskFilter): FilterPlan {
  const given = (Object.keys(COLUMN) as Field[]).filter((field) => filter[field] !== undefined);
  const path = filter.path === undefined ? undefined : pathSpan(filter.path);
  const parameters: Record<string, string | number> = path === undefined ? {} : { pathExact: path.exact, pathFrom: path.from, pathTo: path.to };
  for (const field of given) parameters[field] = filter[field] ?? '';
  return {
    course: courseOf(given, filter.state),
    beneath: path && beneathOf(given),
    onRow:
      path === undefined
        ? ''
        : [
            ...given.map(equals),
            `(${PATH_INDEXES.flatMap(({ column }) => ranges(column))
              .map((range) => `(${range})`)
              .join(' OR ')})`,
          ].join(' AND '),
    parameters,
    ...spanOf(filter),
  };
}

/** The first course that asks for nothing but the given fields and the state leads. */
function courseOf(given: readonly Field[], state: string | undefined): Course {
  const asked = COURSES.find(({ fields }) => fields.every((field) => given.includes(field) || (field === 'state' && given.length > 0)));
  const { index, fields } = asked ?? { index: 'task_by_time', fields: [] };
  return {
    index,
    where: fields.map(equals),
    also: given.filter((field) => !fields.includes(field)).map(equals),
    states: state === undefined && fields.includes('state') ? STATES : [state ?? ''],
  };
}

function beneathOf(given: readonly Field[]): readonly Course[] {
  const also = given.map((field) => (field === 'plan' ? 'plan_key = substr(@plan, 1, 10)' : equals(field)));
  return PATH_INDEXES.flatMap(({ index, column }) => ranges(column).map((range) => ({ index, where: [range], also, states: [''] })));
}
