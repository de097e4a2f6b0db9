import { BOUNDS, type DryRun, TaskJob } from '../../../contracts/index.ts';
import { isWritError, WritError } from '../../../core/errors.ts';
import { manifestSha256 } from '../../../core/hash.ts';
import type { PushOptions } from '../../../core/ports/index.ts';
import { leaseTermsOf } from './lease-terms.ts';
import { assertMaySign, refuseLease, type SubmitServices, type Submitter } from './submit.ts';
import { readTaskStatus, type TaskStatus } from './task-status.ts';

type Obstacle = DryRun['obstacles'][number];

/**
 * What a push of this task would meet now. Nothing is queued, signed, recorded or reserved. The files are looked at only for who
 * has the authority to touch them: under a lease that holds, or where the kernel would grant one to a caller who may ask.
 *
 * @throws WritError FORBIDDEN without the role to sign; INVALID_MANIFEST without a canonical form; KERNEL_UNAVAILABLE, REDIS_UNAVAILABLE
 */
export async function dryRun(
  job: TaskJob,
  { sign, push }: { sign: boolean; push: PushOptions },
  by: Pick<Submitter, 'roles'>,
  services: Omit<SubmitServices, 'audit'>,
): Promise<DryRun> {
  assertMaySign(sign, by);
  const { manifest } = job;
  const sha = manifestSha256(manifest);
  const size = Buffer.byteLength(JSON.stringify(job));
  const tooLarge = size > BOUNDS.job ? [obstacle('INVALID_MANIFEST', `the job has ${size} bytes, at most ${BOUNDS.job} are allowed`)] : [];
  const refused = await refusedAuthority(job, sign, push, services);
  const status = await readTaskStatus(manifest.task_id, services.tasks);
  const standing = standingOf(status, sha);
  const full = needsRoom(status, standing) ? await fullness(services.tasks) : [];
  const files = refused === undefined ? await services.tasks.preview?.(manifest) : undefined;
  const obstacles = [
    ...tooLarge,
    ...(refused === undefined ? [] : [refused]),
    ...(standing === 'conflict' ? [obstacle('TASK_ID_CONFLICT', 'the task_id is already used for another manifest', 'manifest.task_id')] : []),
    ...full,
    // What has ended or is on its way is answered from there, whatever its files look like since.
    ...(standing === 'new' || standing === 'failed'
      ? (files?.problems ?? []).map(({ field, message }) => obstacle('EXECUTION_FAILED', message, `manifest.${field}`))
      : []),
  ];
  const { problems: _, ...effect } = files ?? { problems: [] };
  return {
    dry_run: true,
    task_id: manifest.task_id,
    capability_id: manifest.capability_id,
    manifest_sha256: sha,
    would: obstacles.length > 0 ? 'refuse' : WOULD[standing],
    authority: refused === undefined ? (job.lease === undefined ? 'grantable' : 'lease') : 'none',
    ...(Object.keys(effect).length === 0 ? {} : { effect }),
    obstacles,
  };
}

type Standing = 'new' | 'failed' | 'in-flight' | 'finished' | 'conflict';

const WOULD = { new: 'run', failed: 'run', 'in-flight': 'join', finished: 'replay', conflict: 'refuse' } satisfies Record<Standing, DryRun['would']>;

/** As a push would meet it. What nobody has signed is the worker's to judge, and stands in no way. */
function standingOf(status: TaskStatus, sha: string): Standing {
  if (status.state === 'finished') {
    const same = status.manifestSha256 === undefined || status.manifestSha256 === sha;
    if (status.outcome.status === 'SUCCESS') return same ? 'finished' : 'conflict';
    return 'failed';
  }
  if (status.state !== 'waiting' && status.state !== 'running') return 'new';
  const queued = shaOf(status.job?.data);
  return queued === undefined || queued === sha ? 'in-flight' : 'conflict';
}

/** A failed job that is kept runs again in its place. */
function needsRoom(status: TaskStatus, standing: Standing): boolean {
  return standing === 'new' || (standing === 'failed' && 'job' in status && status.job?.state !== 'failed');
}

async function fullness({ assertRoom }: Pick<SubmitServices['tasks'], 'assertRoom'>): Promise<readonly Obstacle[]> {
  try {
    await assertRoom?.();
    return [];
  } catch (error) {
    if (!isWritError(error) || error.code !== 'REDIS_FULL') throw error;
    return [obstacle(error.code, error.message)];
  }
}

/** Of the manifest in a queued job; what is no task is the worker's to refuse. */
function shaOf(data: unknown): string | undefined {
  const job = TaskJob.safeParse(data).data;
  return job && manifestSha256(job.manifest);
}

/** Why there would be no authority; `undefined` when there is, or the kernel would give it. */
async function refusedAuthority(job: TaskJob, sign: boolean, push: PushOptions, services: Omit<SubmitServices, 'audit'>): Promise<Obstacle | undefined> {
  if (sign && job.lease === undefined) {
    const [answer] = await (await services.kernel()).judge([job.manifest], leaseTermsOf(push));
    if (answer === undefined) throw new WritError('KERNEL_UNAVAILABLE', 'the kernel did not answer');
    if (answer.kind === 'refused') return obstacle(answer.code, answer.message, answer.field === undefined ? undefined : `manifest.${answer.field}`);
    const isElsewhere = push.queue !== undefined && answer.queue !== undefined && push.queue !== answer.queue;
    return isElsewhere ? obstacle('INVALID_LEASE', `the lease would be for the queue ${answer.queue}, not for ${push.queue}`, 'lease') : undefined;
  }
  const { signatures, tasks, clock } = services;
  const refusal = await refuseLease(job, { signatures: await signatures(), tasks, now: clock.now(), queue: push.queue, notBefore: push.notBefore });
  return refusal && obstacle(refusal.code, refusal.message, refusal.field);
}

function obstacle(code: string, message: string, field?: string): Obstacle {
  return { code, message, ...(field === undefined ? {} : { field }) };
}
