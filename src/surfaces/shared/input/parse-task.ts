import { MAX_JOB_BYTES, TaskJob } from '../../../contracts/index.ts';
import { canonicalJson, parseStrictJson } from '../../../core/canonical-json.ts';
import { type ErrorCode, isWritError, WritError } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json.ts';
import { MAX_ITEM_BYTES, type RawItem } from './raw-item.ts';

/** A task as it was found in the input. */
export interface ParsedTask {
  readonly line: number;
  readonly job: TaskJob;
}

/** A line that became no task, or a task that was not accepted. */
export interface Rejection {
  readonly line: number;
  readonly task_id?: string;
  readonly code: ErrorCode;
  readonly field?: string;
  readonly message: string;
}

/** The shape check of the contract, with the place to look at. */
export function parseTask(item: RawItem): ParsedTask | Rejection {
  if (item.kind === 'problem') return { line: item.line, code: 'INVALID_MANIFEST', message: item.message };
  try {
    return { line: item.line, job: jobOf(item.text) };
  } catch (error) {
    if (!isWritError(error)) throw error;
    return { line: item.line, code: error.code, message: error.message, ...(error.field === undefined ? {} : { field: error.field }) };
  }
}

/** The canonical form has at most so many bytes for a character of the text (`1e15` is the worst). Small texts need no look. */
const MAX_GROWTH = 6;

/**
 * The task in one JSON text: `{v?, manifest, lease?}`, or a bare manifest.
 *
 * @throws WritError INVALID_MANIFEST with the field at fault
 */
export function jobOf(text: string): TaskJob {
  const value = parseStrictJson(text, { maxBytes: MAX_ITEM_BYTES });
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new WritError('INVALID_MANIFEST', 'must be a JSON object: a manifest, or {"manifest": …, "lease": …}');
  }
  const bare = !('manifest' in value);
  const shape = TaskJob.safeParse(bare ? { v: 1, manifest: value } : withVersion(value));
  if (shape.success) return text.length * MAX_GROWTH > MAX_JOB_BYTES ? sized(shape.data) : shape.data;
  const issue = shape.error.issues[0];
  const path = (issue?.path ?? []).map(String);
  throw new WritError('INVALID_MANIFEST', issue?.message ?? 'is not a task', { field: (bare ? path.slice(1) : path).join('.') || 'manifest' });
}

function withVersion(value: JsonObject): JsonObject {
  return 'v' in value ? value : { v: 1, ...value };
}

function sized(job: TaskJob): TaskJob {
  if (Buffer.byteLength(canonicalJson(job.manifest)) > MAX_JOB_BYTES) {
    throw new WritError('INVALID_MANIFEST', `is larger than ${MAX_JOB_BYTES} bytes`, { field: 'manifest' });
  }
  return job;
}
