import { IndexActivity, IndexTaskKind, Sha256Hex } from '../../../contracts/index.ts';
import { cut, MAX } from './shown-text.ts';

/** The job of a maintenance task of a content-search index: what is done to which index, and why. */
export interface ShownIndexTask {
  readonly kind: IndexTaskKind;
  readonly keyHash: string;
  readonly reason: string;
}

const Progress = IndexActivity.pick({ phase: true, done: true, total: true });

function textOf({ phase, done, total }: Pick<IndexActivity, 'phase' | 'done' | 'total'>): string {
  return total === null ? `${phase}, ${done} files` : `${phase}, ${done} of ${total} files`;
}

const JOB_ID = /^m_[0-9A-Za-z]{1,64}$/;

/** Whether a job is one of index maintenance, by its id. */
export function isIndexJob(jobId: string): boolean {
  return JOB_ID.test(jobId);
}

export function indexTaskOf(jobId: string, data: unknown): ShownIndexTask | undefined {
  if (!isIndexJob(jobId) || typeof data !== 'object' || data === null) return undefined;
  const member = (name: string): unknown => (Object.hasOwn(data, name) ? Reflect.get(data, name) : undefined);
  const [kind, keyHash] = [IndexTaskKind.safeParse(member('kind')), Sha256Hex.safeParse(member('key_hash'))];
  return kind.success && keyHash.success ? { kind: kind.data, keyHash: keyHash.data, reason: cut(member('reason'), MAX.reason) } : undefined;
}

/** `progress` as the lane writes it: `{phase, done, total}`. */
export function shownIndexTask({ kind, keyHash, reason }: ShownIndexTask, progress: unknown): Record<string, unknown> {
  const far = Progress.safeParse(progress).data;
  return { task_kind: kind, key_hash: keyHash, reason, ...(far === undefined ? {} : { progress: textOf(far) }), index: '/v1/index' };
}
