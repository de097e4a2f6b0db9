import { messageOf } from '../../../core/errors.ts';
import type { BuildJob, BuildOutcome, SnapshotId } from '../../../core/ports/index.ts';
import { openSnapshot, type Snapshot } from '../query/snapshot.ts';
import { CorruptSegment } from '../segment/format.ts';
import { buildWhole, checkWhole, mergeFrom, updateFrom, validateAgainst } from './jobs.ts';
import { measureTree } from './measure.ts';
import { Halted } from './pace.ts';
import type { JobRun } from './site.ts';

/** Jobs by kind. */
type Jobs = { readonly [K in BuildJob['kind']]: Extract<BuildJob, { readonly kind: K }> };

const JOBS: { readonly [K in BuildJob['kind']]: (run: JobRun, job: Jobs[K]) => BuildOutcome } = {
  build: (run, job) => (job.resume === undefined ? buildWhole(run, job) : withSnapshot(run, job.resume, (begun) => buildWhole(run, job, begun))),
  validate: (run, { snapshot, into }) => withSnapshot(run, snapshot, (open) => validateAgainst(run, open, into)),
  update: (run, { snapshot, entries, into }) => withSnapshot(run, snapshot, (open) => updateFrom(run, open, entries, into)),
  merge: (run, { snapshot, from, into }) => withSnapshot(run, snapshot, (open) => mergeFrom(run, open, from, into)),
  check: (run, { snapshot }) => withSnapshot(run, snapshot, (open) => checkWhole(run, open)),
  measure: (run, { files, bytes }) => {
    const isAbove = (measure: { readonly files: number; readonly bytes: number }): boolean => measure.files > files || measure.bytes > bytes;
    const measure = measureTree(run, isAbove);
    return { outcome: 'measured', above: isAbove(measure), files: measure.files, bytes: measure.bytes };
  },
};

/**
 * Runs a job to its end; one that is not 'done' or 'partial' leaves nothing. An exception of the disk or of a bug becomes
 * 'failed', a value: the writer goes on with its state machine.
 */
export function runJob(run: JobRun, job: BuildJob): BuildOutcome {
  try {
    return perform(run, job.kind, job);
  } catch (error) {
    if (error instanceof Halted) return halted(error, run);
    if (error instanceof CorruptSegment) return { outcome: 'corrupt', message: error.message };
    return NO_ROOM.has(codeOf(error)) ? overBudget('DISK', run) : { outcome: 'failed', message: messageOf(error) };
  } finally {
    run.site.second?.stop();
  }
}

function perform<K extends BuildJob['kind']>(run: JobRun, kind: K, job: Jobs[K]): BuildOutcome {
  return JOBS[kind](run, job);
}

function halted({ reason }: Halted, run: JobRun): BuildOutcome {
  return reason === 'STOPPED' ? { outcome: 'stopped' } : overBudget(reason, run);
}

function overBudget(why: Exclude<Halted['reason'], 'STOPPED'>, { counted: { files, bytes } }: JobRun): BuildOutcome {
  return { outcome: 'over-budget', why, files, bytes };
}

/** Errors of a full disk or a full quota. */
const NO_ROOM: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Opens a snapshot for as long as `work` takes. */
function withSnapshot({ site }: JobRun, id: SnapshotId, work: (snapshot: Snapshot) => BuildOutcome): BuildOutcome {
  const opened = openSnapshot(site.index, id, site, site.hasher);
  if (!opened.ok) return { outcome: opened.why === 'REFUSED' ? 'failed' : 'corrupt', message: opened.message };
  try {
    return work(opened.snapshot);
  } finally {
    opened.snapshot.close();
  }
}
