import type { z } from 'zod';
import { MAX_JOB_BYTES, OfferedManifest, TaskJob } from '../../../contracts/index.ts';
import { parseStrictObject } from '../../../core/canonical-json.ts';
import { type ErrorCode, type FieldProblem, isWritError, WritError } from '../../../core/errors.ts';
import { rememberManifest } from '../../../core/hash.ts';
import type { JsonObject } from '../../../core/json.ts';
import { problemsOf } from '../../../core/shape-problems.ts';
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
  /** Everything that is wrong with the document, where its shape was judged. */
  readonly problems?: readonly FieldProblem[];
}

/** The shape check of the contract, with the place to look at. */
export function parseTask(item: RawItem): ParsedTask | Rejection {
  if (item.kind === 'problem') return { line: item.line, code: 'INVALID_MANIFEST', message: item.message };
  try {
    return { line: item.line, job: jobOf(item.text) };
  } catch (error) {
    if (!isWritError(error)) throw error;
    const { code, message, field, problems } = error;
    return { line: item.line, code, message, ...(field === undefined ? {} : { field }), ...(problems === undefined ? {} : { problems }) };
  }
}

const OfferedJob = TaskJob.extend({ manifest: OfferedManifest });

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
  const job = bare ? { v: 1 as const, manifest: checked(OfferedManifest, value) } : checked(OfferedJob, withVersion(value));
  return known(job, bare ? objectOf(forms) : forms.get('manifest'));
}

function checked<T>(schema: z.ZodType<T>, value: JsonObject): T {
  const shape = schema.safeParse(value);
  if (shape.success) return shape.data;
  const problems = problemsOf(shape.error, schema, value);
  const [{ field, message }] = problems;
  throw new WritError('INVALID_MANIFEST', message, { field: field === '' ? 'manifest' : field, problems });
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
