import type { IndexTaskKind } from '../../../contracts/index.ts';
import { messageOf } from '../../../core/errors.ts';
import type { BuildOutcome, OverlayEntry } from '../../../core/ports/index.ts';
import { build } from './build-task.ts';
import { adopt } from './keep.ts';
import { lostSegment } from './open.ts';
import { begunBuild } from './partial.ts';
import type { TaskContext } from './task-context.ts';
import { ended, grown, nextDelta, nextGeneration, skipped, type TaskEnd, unwatched } from './task-context.ts';

/**
 * What an index host does for its index, one task at a time (local-search-index.md 4.3). All of them may be repeated and may
 * be killed anywhere: a segment counts when `CURRENT` names it, and what searches may read is told after that.
 */
export const TASKS = { build, reconcile, update, merge, check, drop } satisfies Record<IndexTaskKind, (context: TaskContext) => Promise<TaskEnd>>;

/** Compares the index with the whole tree and writes down what differs (FR-LSI-BG-50). */
async function reconcile(context: TaskContext): Promise<TaskEnd> {
  const { deps, memory, record, run, retries } = context;
  const { snapshot, resets } = memory;
  if (snapshot === null || begunBuild(context) !== undefined) return build(context);
  if (!(await context.ensureWatched())) return unwatched(context);
  const { seq } = await deps.watch.pending(0);
  context.passBegins('reconcile');
  const since = record.apply({ kind: 'RECONCILE_STARTED' }).mark;
  deps.files.sweep(memory.snapshot);
  const into = nextDelta(snapshot);
  const compared = await run({ kind: 'validate', snapshot, into });
  if (memory.resets !== resets) return skipped('the index was given up meanwhile');
  if (compared.outcome === 'rebuild') return build(context);
  if (compared.outcome !== 'done' && compared.outcome !== 'nothing') return broken(context, 'reconcile', compared);
  const unkept = compared.outcome === 'done' ? adopt(context, grown(snapshot, into)) : undefined;
  if (unkept !== undefined) return broken(context, 'reconcile', unkept);
  retries.worked('reconcile');
  if (compared.hiding > 0) record.apply({ kind: 'RECONCILE_HIDING_ERRORS' });
  else record.apply({ kind: 'RECONCILE_SUCCEEDED', since });
  await record.publish({ through: seq });
  await tidy(context);
  return { outcome: compared.outcome, detail: compared.outcome === 'done' ? `${compared.documents} files differed` : 'nothing differed' };
}

/** Brings what the overlay names into the index (FR-LSI-TRK-04, -10). */
async function update(context: TaskContext): Promise<TaskEnd> {
  const { deps, memory, record, run, retries } = context;
  const { entries, more, seq } = await deps.watch.pending(MAX_AT_ONCE);
  memory.pending = entries.length;
  const { snapshot, resets } = memory;
  if (snapshot === null || entries.length === 0) return skipped('nothing has changed');
  const since = memory.safety.mark;
  deps.files.sweep(snapshot);
  const into = nextDelta(snapshot);
  const updated = await run({ kind: 'update', snapshot, entries: inOrder(entries), into });
  if (memory.resets !== resets) return skipped('the index was given up meanwhile');
  if (updated.outcome !== 'done' && updated.outcome !== 'nothing') return broken(context, 'update', updated);
  if (updated.hiding > 0) {
    // Searches go on looking there themselves, and find the same obstacle.
    record.apply({ kind: 'ENUMERATION_ERROR' });
    await record.publish();
    return { outcome: updated.outcome, detail: 'a directory could not be read' };
  }
  const unkept = updated.outcome === 'done' ? adopt(context, grown(snapshot, into)) : undefined;
  if (unkept !== undefined) return broken(context, 'update', unkept);
  retries.worked('update');
  if (!more) {
    record.apply({ kind: 'DIRTY_DRAINED', since });
    // The watch lets it go by itself with what is covered here.
    if (memory.veto?.veto === 'BACKLOG' && memory.veto.seq <= seq) memory.veto = null;
  }
  await record.publish({ entries });
  if (more) context.submit('update', 'there are more changes');
  if (memory.safety.causes.some(({ reason }) => reason === 'ENUMERATION_ERROR')) context.submit('reconcile', 'a directory may be readable again');
  await tidy(context);
  return { outcome: updated.outcome, detail: `${entries.length} changes` };
}

/** Makes one segment of several: searches look into each one. */
async function merge(context: TaskContext): Promise<TaskEnd> {
  const { deps, memory, record, run } = context;
  const { snapshot, resets } = memory;
  if (snapshot === null || snapshot.deltas.length < 2) return skipped('there is nothing to merge');
  deps.files.sweep(snapshot);
  const whole = deps.files.sizeOf({ generation: snapshot.generation, deltas: [] });
  const isLarge = deps.files.sizeOf(snapshot) - whole > whole * DELTA_SHARE;
  const into = isLarge ? { generation: nextGeneration(deps, memory), delta: 0 } : nextDelta(snapshot);
  const merged = await run({ kind: 'merge', snapshot, from: isLarge ? 0 : 1, into });
  if (memory.resets !== resets) return skipped('the index was given up meanwhile');
  if (merged.outcome !== 'done') return broken(context, 'merge', merged);
  const unkept = adopt(context, isLarge ? { generation: into.generation, deltas: [] } : { generation: snapshot.generation, deltas: [into.delta] });
  if (unkept !== undefined) return broken(context, 'merge', unkept);
  await record.publish();
  deps.files.sweep(memory.snapshot);
  return { outcome: 'done', detail: `${merged.documents} files, ${merged.bytes} bytes` };
}

async function check(context: TaskContext): Promise<TaskEnd> {
  const { memory, run } = context;
  const { snapshot, resets } = memory;
  if (snapshot === null) return skipped('there is no index');
  const checked = await run({ kind: 'check', snapshot });
  if (memory.resets !== resets) return skipped('the index was given up meanwhile');
  if (checked.outcome !== 'checked') return broken(context, 'check', checked);
  if (checked.findings.length === 0) return { outcome: 'checked', detail: 'sound' };
  return broken(context, 'check', { outcome: 'corrupt', message: checked.findings.slice(0, 3).join('; ') });
}

async function drop({ deps, memory, record }: TaskContext): Promise<TaskEnd> {
  record.apply({ kind: 'EVICTED' });
  memory.snapshot = null;
  await record.publish();
  deps.files.purge();
  return { outcome: 'done', detail: 'the index is gone' };
}

/** Entries of one update: what takes longer is done in several. */
const MAX_AT_ONCE = 10_000;
/** As many deltas are still looked into one by one. */
const MAX_DELTAS = 8;
/** Deltas together larger than this share of the base are merged into a new one. */
const DELTA_SHARE = 0.2;

async function tidy(context: TaskContext): Promise<void> {
  if ((context.memory.snapshot?.deltas.length ?? 0) > MAX_DELTAS) context.submit('merge', 'there are many segments');
}

/** Work that nobody asks for again by himself. */
const TRIED_AGAIN: ReadonlySet<IndexTaskKind> = new Set<IndexTaskKind>(['reconcile', 'update', 'check']);

/** A task ended in the midst: the disk refused what nobody expected, or the watch thread died. Nothing must stay as if it still ran. */
export async function crashed(context: TaskContext, kind: IndexTaskKind, error: unknown): Promise<TaskEnd> {
  const { memory, record } = context;
  if (memory.safety.building !== null) record.apply({ kind: 'BUILD_FAILED_CLEAN', since: memory.safety.building });
  return broken(context, kind, { outcome: 'failed', message: messageOf(error) });
}

/** A job that did not do what was asked: the index stays as it was, or is known to be damaged. */
async function broken(context: TaskContext, kind: IndexTaskKind, end: BuildOutcome): Promise<TaskEnd> {
  const { deps, memory, record, retries } = context;
  const lost = memory.snapshot === null ? undefined : lostSegment(deps.files, memory.snapshot);
  if (end.outcome === 'corrupt' || lost !== undefined) {
    record.apply({ kind: 'INTEGRITY_FAILED' });
    await record.publish();
    return ended(lost === undefined ? end : { outcome: 'corrupt', message: lost });
  }
  if (end.outcome !== 'stopped') {
    record.apply({ kind: 'RECONCILE_OVER_BUDGET' });
    await record.publish();
    // The disk was full, or the machine short of something: that passes.
    if (TRIED_AGAIN.has(kind)) retries.later(kind, () => context.submit(kind, `${kind} is tried again`));
  }
  return ended(end);
}

/** Oldest first, then by path (FR-LSI-TRK-10): the same changes give the same segment. */
function inOrder(entries: readonly OverlayEntry[]): readonly OverlayEntry[] {
  return [...entries].sort((a, b) => a.seq - b.seq || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}
