import type { BuildOutcome, SnapshotId } from '../../../core/ports/index.ts';
import { adopt, lacksRoom, noteStop, noteWhole, stoppedBefore } from './keep.ts';
import { begunBuild, keepPartial } from './partial.ts';
import type { TaskContext } from './task-context.ts';
import { ended, grown, nextDelta, nextGeneration, skipped, type TaskEnd, unwatched } from './task-context.ts';

/** Reads the whole tree, or what an earlier build has left of it (FR-LSI-BG-20, -51). */
export async function build(context: TaskContext): Promise<TaskEnd> {
  const { deps, memory, record, retries } = context;
  if (!(await context.ensureWatched())) return unwatched(context);
  const { seq } = await deps.watch.pending(0);
  context.passBegins('build');
  const since = record.apply({ kind: 'BUILD_STARTED' }).building;
  if (since === null) return skipped('another state came first');
  const { resets } = memory;
  const startedMs = deps.now();
  await record.publish();
  const built = await builtInto(context);
  if (memory.resets !== resets) return skipped('the index was given up meanwhile');
  if (built.outcome === 'done' || built.outcome === 'nothing') {
    noteWhole(context, built);
    record.apply({ kind: 'BUILD_COMPLETED', since, hidingErrors: built.hiding });
    await record.publish({ through: seq });
    deps.files.sweep(memory.snapshot);
    retries.worked('build');
    return { outcome: 'done', detail: built.outcome === 'done' ? `${built.documents} files, ${built.bytes} bytes` : 'nothing was left to be read' };
  }
  if (built.outcome === 'partial') return restOfIt(context, built, { since, startedMs });
  if (built.outcome === 'over-budget') overBudget(context, built, since);
  else if (built.outcome === 'corrupt') record.apply({ kind: 'BUILD_FAILED_DIRTY', since });
  else if (built.outcome !== 'stopped') record.apply({ kind: 'BUILD_FAILED_CLEAN', since });
  await record.publish();
  const isFailure = built.outcome === 'failed' || built.outcome === 'corrupt';
  if (isFailure && deps.settings.retryOnFailure) retries.later('build', () => context.submit('build', 'the last one failed'));
  return ended(built);
}

async function builtInto(context: TaskContext): Promise<BuildOutcome> {
  const { deps, memory } = context;
  const before = (await stoppedBefore(context)) ?? (deps.quota.makeRoom() ? undefined : lacksRoom());
  if (before !== undefined) return before;
  // Whatever lies where it will write is none of ours.
  deps.files.sweep(memory.snapshot);
  const begun = begunBuild(context);
  const goneOn = begun === undefined ? undefined : await buildOn(context, begun);
  // What cannot be gone on from is no beginning (FR-LSI-BG-51).
  return goneOn === undefined || goneOn.outcome === 'corrupt' ? buildOn(context, undefined) : goneOn;
}

async function buildOn(context: TaskContext, begun: SnapshotId | undefined): Promise<BuildOutcome> {
  const { deps, memory } = context;
  const { resets } = memory;
  const into = begun === undefined ? { generation: nextGeneration(deps, memory), delta: 0 } : nextDelta(begun);
  const resume = begun === undefined ? {} : { resume: begun };
  const built = await context.run({ kind: 'build', into, keepOnStop: deps.settings.checkpointOnShutdown, ...resume });
  if (memory.resets !== resets) return built;
  const snapshot = begun === undefined ? { generation: into.generation, deltas: [] } : grown(begun, into);
  if (built.outcome === 'partial') return keepPartial(context, built, snapshot) ?? built;
  return built.outcome === 'done' ? (adopt(context, snapshot) ?? built) : built;
}

/** A build whose time was over goes on after a pause as long as it took (search-rules 17); one that was stopped, when the host starts again. */
async function restOfIt(
  context: TaskContext,
  built: Extract<BuildOutcome, { outcome: 'partial' }>,
  { since, startedMs }: { readonly since: number; readonly startedMs: number },
): Promise<TaskEnd> {
  const { deps, record, retries } = context;
  const detail = `${built.read} files were read, and it is not the end`;
  if (built.why === 'STOPPED') return { outcome: 'stopped', detail };
  record.apply({ kind: 'BUILD_BUDGET_EXCEEDED', since });
  await record.publish();
  // A pass goes on with a build if there still is one to go on with.
  retries.at('rest', 2 * deps.now() - startedMs, () => context.submit('reconcile', 'a build goes on'));
  return { outcome: 'partial', detail };
}

/** The old index stays; it counts again as soon as a pass has brought it up to date. */
function overBudget(context: TaskContext, stop: Extract<BuildOutcome, { outcome: 'over-budget' }>, since: number): void {
  const { deps, memory, record } = context;
  noteStop(context, stop);
  if (stop.why === 'DISK' && deps.storage.mode === 'memory') {
    record.apply({ kind: 'MEMORY_BUDGET_EXCEEDED', disabledUntilMs: deps.now() + deps.pauses.memoryMs });
    return;
  }
  record.apply({ kind: 'BUILD_BUDGET_EXCEEDED', since });
  deps.files.sweep(memory.snapshot);
  if (memory.snapshot !== null && context.isAsked) context.submit('reconcile', 'there is no room for a new index beside the old one');
}
