import { CONTENT_SEARCH, FILE_CAPABILITIES, SEARCH_CAPABILITIES, TaskJob, type TaskManifest, TOOL_CALL } from '../../../contracts/index.ts';
import { indexTaskOf, shownIndexTask } from './shown-index.ts';
import { shownExpiry } from './shown-lease.ts';
import { ingestOperations } from './shown-messages.ts';
import { planOf, shownPlan } from './shown-plan.ts';
import { count, counts, cut, MAX } from './shown-text.ts';
import type { BoardJob } from './source.ts';

export { cut } from './shown-text.ts';

/** What the board gets to see of a job: never a lease, never what a search looks for or finds, nothing that is long. */
export interface ShownJob {
  readonly id: string;
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly returnvalue: unknown;
  readonly failedReason: string;
  readonly stacktrace: string[];
  readonly opts: Readonly<Record<string, unknown>>;
  readonly progress: number;
  readonly attemptsMade: number;
  readonly timestamp: number;
  readonly processedOn?: number;
  readonly finishedOn?: number;
  readonly delay?: number;
  readonly priority?: number;
}

/** @param now milliseconds since 1970 */
export function shownJob(job: BoardJob, now: number): ShownJob {
  const { fields } = job;
  const task = TaskJob.safeParse(fields['data']).data;
  const plan = task === undefined ? planOf(job.id, fields['data']) : undefined;
  const index = indexTaskOf(job.id, fields['data']);
  const ingest = ingestOperations(job.id, fields['data']);
  const reason = job.unreadable ?? cut(fields['failedReason'], MAX.reason);
  return {
    id: cut(job.id, MAX.id),
    name: cut(task?.manifest.capability_id ?? (plan ? 'plan' : (index?.kind ?? fields['name'])), MAX.name) || '(no name)',
    data: shownData(),
    returnvalue: shownReturn(fields['returnvalue']),
    failedReason: reason,
    stacktrace: reason === '' ? [] : [reason],
    opts: shownOptions(fields['opts']),
    progress: 0,
    attemptsMade: count(fields['attemptsMade']) ?? 0,
    timestamp: count(fields['timestamp']) ?? 0,
    ...counts(fields, ['processedOn', 'finishedOn', 'delay', 'priority']),
  };

  function shownData(): Record<string, unknown> {
    if (task) return shownTask(task, now);
    if (plan) return shownPlan(plan, fields['progress'], now);
    if (index) return shownIndexTask(index, fields['progress']);
    return ingest ? { ...ingest } : notATask(fields['data'], job.unreadable);
  }
}

function shownTask({ manifest, lease }: TaskJob, now: number): Record<string, unknown> {
  return {
    task_id: manifest.task_id,
    capability: manifest.capability_id,
    ...shownInputs(manifest),
    ...(manifest.constraints.scope === undefined ? {} : { scope: cut(manifest.constraints.scope, MAX.path) }),
    ...(manifest.provenance?.undo_of === undefined ? {} : { undo_of: manifest.provenance.undo_of }),
    lease_expires: shownExpiry(lease, now),
    task: `/v1/tasks/${manifest.task_id}`,
  };
}

/** Paths are what a file task is about, a scope is where a search looks, a tool is what is called; the other inputs may be somebody's question. */
function shownInputs({ capability_id, inputs }: TaskManifest): Record<string, unknown> {
  const names = INPUTS.find(([capabilities]) => capabilities.has(capability_id))?.[1] ?? [];
  return Object.fromEntries(names.flatMap((name) => (typeof inputs[name] === 'string' ? [[name, cut(inputs[name], MAX.path)]] : [])));
}

const INPUTS: readonly (readonly [ReadonlySet<string>, readonly string[]])[] = [
  [FILE_CAPABILITIES, ['source_path', 'destination_path']],
  [SEARCH_CAPABILITIES, ['target_scope']],
  [new Set([CONTENT_SEARCH]), ['path']],
  [new Set([TOOL_CALL]), ['tool', 'operation']],
];

/** Says only how it is at fault: what is no contract may hold anything, also a lease. */
function notATask(data: unknown, unreadable: string | undefined): Record<string, unknown> {
  if (unreadable !== undefined) return { not_a_task: unreadable };
  const fields = typeof data === 'object' && data !== null && !Array.isArray(data) ? Object.keys(data) : [];
  return {
    not_a_task: 'the data is no task job',
    type: Array.isArray(data) ? 'array' : typeof data,
    fields: fields.slice(0, 8).map((name) => cut(name, MAX.word)),
  };
}

/** A job returns its status and the digest of its result; the result itself is at the task. */
function shownReturn(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return null;
  const words = ['status', 'error_code', 'result_sha256'].flatMap((name) => {
    const word: unknown = Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
    return typeof word === 'string' ? [[name, cut(word, MAX.word)]] : [];
  });
  return Object.fromEntries(words);
}

function shownOptions(opts: unknown): Record<string, unknown> {
  if (typeof opts !== 'object' || opts === null) return {};
  return counts({ ...opts }, ['attempts', 'delay', 'priority', 'timestamp']);
}
