import { messageOf } from '../../../core/errors.ts';
import type { BuildJob, BuildOutcome, OpenSegmentFile, SnapshotId } from '../../../core/ports/index.ts';
import { CorruptSegment, segmentNumber } from '../segment/format.ts';
import { openSegment, type SegmentReader } from '../segment/reader.ts';
import { buildBase } from './build.ts';
import { measureTree } from './measure.ts';
import { Halted } from './pace.ts';
import type { JobRun } from './site.ts';
import { comparePaths } from './tree-paths.ts';
import { updateFrom } from './update.ts';
import { validateAgainst } from './validate.ts';

/** Jobs by their kinds. */
type Jobs = { readonly [K in BuildJob['kind']]: Extract<BuildJob, { readonly kind: K }> };
type Kind = Exclude<BuildJob['kind'], 'merge' | 'check'>;

const JOBS: { readonly [K in Kind]: (run: JobRun, job: Jobs[K]) => BuildOutcome } = {
  build: (run, { into }) => buildBase(run, into),
  validate: (run, { snapshot, into }) => withSegments(run, snapshot, (segments) => validateAgainst(run, segments, into)),
  update: (run, { snapshot, entries, into }) => withSegments(run, snapshot, (segments) => updateFrom(run, segments, entries, into)),
  measure: (run, { files, bytes }) => {
    const isAbove = (measure: { readonly files: number; readonly bytes: number }): boolean => measure.files > files || measure.bytes > bytes;
    const measure = measureTree(run, isAbove);
    return { outcome: 'measured', above: isAbove(measure), files: measure.files, bytes: measure.bytes };
  },
};

/**
 * Does a job to its end, whatever that is; of one that is not 'done' nothing is left. What the disk or a bug throws is a value
 * too ('failed'): the writer goes on with its state machine.
 */
export function runJob<K extends Kind>(run: JobRun, kind: K, job: Jobs[K]): BuildOutcome {
  try {
    return JOBS[kind](run, job);
  } catch (error) {
    if (error instanceof Halted) return halted(error, run);
    if (error instanceof CorruptSegment) return { outcome: 'corrupt', message: error.message };
    return NO_ROOM.has(codeOf(error)) ? overBudget('DISK', run) : { outcome: 'failed', message: messageOf(error) };
  }
}

function halted({ reason }: Halted, run: JobRun): BuildOutcome {
  return reason === 'STOPPED' ? { outcome: 'stopped' } : overBudget(reason, run);
}

function overBudget(why: Exclude<Halted['reason'], 'STOPPED'>, { counted: { files, bytes } }: JobRun): BuildOutcome {
  return { outcome: 'over-budget', why, files, bytes };
}

/** What a full disk or a full quota says. */
const NO_ROOM: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Opens the segments of a snapshot, oldest first, for as long as `work` takes. @throws CorruptSegment, also when one is missing */
function withSegments(run: JobRun, { generation, deltas }: SnapshotId, work: (segments: readonly SegmentReader[]) => BuildOutcome): BuildOutcome {
  const { index, keyHash, hasher } = run.site;
  const open: OpenSegmentFile[] = [];
  try {
    const segments = [0, ...deltas].map((delta) => {
      const name = { generation, delta };
      const file = index.open(name);
      if ('refused' in file) throw new CorruptSegment(`a segment cannot be opened: ${file.refused}`);
      open.push(file);
      return openSegment(file, { keyHash, generation: segmentNumber(name), comparePaths }, hasher);
    });
    return work(segments);
  } finally {
    for (const file of open) file.close();
  }
}
