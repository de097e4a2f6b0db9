import type { Command } from 'commander';
import { PlanFilter, ShownPlanState, ShownState, TaskFilter } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import { shellWord } from '../../../core/shell-word.ts';
import { parseSeconds } from '../text/values.ts';

/** The options of a list, as typed. */
export interface FilterFlags {
  readonly state?: string;
  readonly capability?: string;
  readonly code?: string;
  readonly path?: string;
  readonly plan?: string;
  readonly since?: string;
  readonly until?: string;
}

type Words = readonly [flags: string, description: string];

const TIMES: readonly Words[] = [
  ['--since <time>', 'changed at or after: 2026-01-31T12:00:00Z, or an age such as 90s, 15m, 24h, 7d'],
  ['--until <time>', 'changed before'],
];
const TASK_WORDS: readonly Words[] = [
  ['--state <state>', 'waiting, delayed, running, success or failure'],
  ['--capability <id>', 'such as FILE_MOVE'],
  ['--code <code>', 'error code, such as EXECUTION_FAILED'],
  ['--path <path>', 'beginning of the source or destination path, whole components'],
  ['--plan <plan_id>', 'the plan that they belong to'],
  ...TIMES,
];
const PLAN_WORDS: readonly Words[] = [
  ['--state <state>', 'waiting, running, success or failure'],
  ['--code <code>', 'error code, such as TOOL_FAILED'],
  ...TIMES,
];

export function withFilters(command: Command, of: 'tasks' | 'plans'): Command {
  for (const [flags, description] of of === 'tasks' ? TASK_WORDS : PLAN_WORDS) command.option(flags, description);
  return command;
}

/** Option of the command line → field of the filter. */
const FIELDS = { state: 'state', capability: 'capability', code: 'error_code', path: 'path', plan: 'plan', since: 'since', until: 'until' } as const;

/** @throws WritError INVALID_ARGUMENT, with the option in `field` */
export function taskFilterOf(flags: FilterFlags, now: number): TaskFilter {
  assertState(flags, ShownState.options);
  return checked(TaskFilter.safeParse(valuesOf(flags, now)));
}

/** @throws WritError INVALID_ARGUMENT, with the option in `field` */
export function planFilterOf(flags: FilterFlags, now: number): PlanFilter {
  assertState(flags, ShownPlanState.options);
  return checked(PlanFilter.safeParse(valuesOf(flags, now)));
}

function assertState({ state }: FilterFlags, states: readonly string[]): void {
  if (state !== undefined && !states.includes(state))
    throw new WritError('INVALID_ARGUMENT', `--state must be one of ${states.join(', ')}`, { field: '--state' });
}

function valuesOf(flags: FilterFlags, now: number): Record<string, string> {
  const given = Object.entries(FIELDS).flatMap(([option, field]) => {
    const word = flags[option as keyof FilterFlags];
    if (word === undefined) return [];
    return [[field, option === 'since' || option === 'until' ? timeOf(word, `--${option}`, now) : word] as const];
  });
  return Object.fromEntries(given);
}

/** As the contracts have it. */
const TIME = TaskFilter.shape.since.unwrap();
const AGE = /^\d{1,9}[smhd]$/;

function timeOf(word: string, option: string, now: number): string {
  if (AGE.test(word)) return new Date(Math.max(0, now - parseSeconds(word, option) * 1000)).toISOString();
  if (!TIME.safeParse(word).success)
    throw new WritError('INVALID_ARGUMENT', `${option} must be a time such as 2026-01-31T12:00:00Z, or an age such as 90s, 15m, 24h, 7d`, { field: option });
  return word;
}

type Parsed<T> =
  | { readonly success: true; readonly data: T }
  | { readonly success: false; readonly error: { readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[] } };

function checked<T>(parsed: Parsed<T>): T {
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const option = Object.entries(FIELDS).find(([, field]) => field === issue?.path[0])?.[0];
  const field = option === undefined ? {} : { field: `--${option}` };
  throw new WritError('INVALID_ARGUMENT', `${option === undefined ? 'the filter' : `--${option}`}: ${issue?.message ?? 'is none'}`, field);
}

/** The filter as somebody would type it. */
export function filterWords(filter: TaskFilter | PlanFilter): string {
  return Object.entries(FIELDS)
    .flatMap(([option, field]) => {
      const value = (filter as Readonly<Record<string, string | undefined>>)[field];
      return value === undefined ? [] : [`--${option} ${shellWord(value)}`];
    })
    .join(' ');
}
