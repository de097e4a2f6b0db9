import { MAX_JOB_BYTES, TaskJob } from '../../../contracts/index.ts';
import { parseStrictObject } from '../../../core/canonical-json.ts';
import { type ErrorCode, isWritError, WritError } from '../../../core/errors.ts';
import { rememberManifest } from '../../../core/hash.ts';
import type { JsonObject } from '../../../core/json.ts';
import { MAX_ITEM_BYTES, type RawItem } from './raw-item.ts';

/** A task as it was found in the input. */
export interface ParsedTask {
  readonly line: number;
  readonly job: TaskJob;
  /** Its lease is what the kernel has just answered to this process. */
  readonly granted?: boolean;
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

/**
 * The task in one JSON text: `{v?, manifest, lease?}`, or a bare manifest. Shape, canonical form and hash are had in one pass.
 *
 * @throws WritError INVALID_MANIFEST with the field at fault
 */
export function jobOf(text: string): TaskJob {
  const read = parseStrictObject(text, { maxBytes: MAX_ITEM_BYTES });
  if (read === undefined) throw new WritError('INVALID_MANIFEST', 'must be a JSON object: a manifest, or {"manifest": …, "lease": …}');
  const { value, forms } = read;
  const bare = !('manifest' in value);
  const shape = TaskJob.safeParse(bare ? { v: 1, manifest: value } : withVersion(value));
  if (shape.success) return known(shape.data, bare ? objectOf(forms) : forms.get('manifest'));
  const issue = shape.error.issues[0];
  const path = (issue?.path ?? []).map(String);
  throw new WritError('INVALID_MANIFEST', issue?.message ?? 'is not a task', { field: (bare ? path.slice(1) : path).join('.') || 'manifest' });
}

function withVersion(value: JsonObject): JsonObject {
  return 'v' in value ? value : { v: 1, ...value };
}

/** The canonical form of an object, of those of its members. */
function objectOf(forms: ReadonlyMap<string, string>): string {
  return `{${[...forms.keys()]
    .sort()
    .map((key) => `${JSON.stringify(key)}:${forms.get(key) ?? ''}`)
    .join(',')}}`;
}

/** The shape refuses what it does not know and fills nothing in, so what it made of a manifest has the form that was read. */
function known(job: TaskJob, canonical = ''): TaskJob {
  if (canonical.length > MAX_JOB_BYTES || Buffer.byteLength(canonical) > MAX_JOB_BYTES) {
    throw new WritError('INVALID_MANIFEST', `is larger than ${MAX_JOB_BYTES} bytes`, { field: 'manifest' });
  }
  rememberManifest(job.manifest, canonical);
  return job;
}
