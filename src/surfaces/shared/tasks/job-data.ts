import { TaskJob, type TaskManifest } from '../../../contracts/index.ts';
import { isWritError } from '../../../core/errors.ts';
import { manifestSha256 } from '../../../core/hash.ts';
import type { JobView } from '../../../core/ports/index.ts';

/** What a producer wrote into a job; nothing in it is believed because it stands there. */
export interface JobData {
  readonly manifest: TaskManifest;
  readonly manifestSha256: string;
  readonly lease: string | undefined;
}

/** `undefined` when there is no job, or its data is no task. */
export function jobDataOf(job: JobView | undefined): JobData | undefined {
  const parsed = TaskJob.safeParse(job?.data);
  if (!parsed.success) return undefined;
  try {
    return { manifest: parsed.data.manifest, manifestSha256: manifestSha256(parsed.data.manifest), lease: parsed.data.lease };
  } catch (error) {
    if (isWritError(error)) return undefined;
    throw error;
  }
}
