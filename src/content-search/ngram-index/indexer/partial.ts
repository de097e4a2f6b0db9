import type { BuildCheckpoint, BuildOutcome, IndexRecords, SnapshotId } from '../../../core/ports/index.ts';
import { adopt } from './keep.ts';
import type { TaskContext } from './task-context.ts';

/**
 * What an earlier build has left without coming to its end, if the records say that this snapshot is it (FR-LSI-BG-51). They
 * only save work: whoever goes on there looks at each file again, and without them a pass does so too.
 */
export function begunBuild({ deps, memory: { snapshot } }: TaskContext): SnapshotId | undefined {
  if (snapshot === null) return undefined;
  const read = deps.store.read((records) => checkpointOf(records, deps.keyHash, snapshot) !== undefined);
  return read.ok && read.value ? snapshot : undefined;
}

/**
 * Makes what was read the index: one of which nothing may be left out, for the state says so. Then notes how far it came.
 *
 * @returns why it is not, as `adopt`
 */
export function keepPartial(
  context: TaskContext,
  { lastPath, read, readBytes }: Extract<BuildOutcome, { outcome: 'partial' }>,
  snapshot: SnapshotId,
): BuildOutcome | undefined {
  const { deps, memory } = context;
  const unkept = adopt(context, snapshot);
  if (unkept !== undefined) return unkept;
  deps.store.write((records) => {
    const before = checkpointOf(records, deps.keyHash, snapshot);
    const checkpoint: BuildCheckpoint = {
      generation: String(snapshot.generation),
      lastPath: Buffer.from(lastPath, 'latin1'),
      epoch: memory.safety.epoch,
      files: (before?.files ?? 0) + read,
      bytes: (before?.bytes ?? 0) + readBytes,
      savedAtMs: deps.now(),
      stop: null,
    };
    records.setCheckpoint(deps.keyHash, checkpoint);
  });
  return undefined;
}

/** One of another generation is stale, and one without a file says nothing. */
function checkpointOf(records: IndexRecords, keyHash: string, { generation }: SnapshotId): BuildCheckpoint | undefined {
  const checkpoint = records.checkpoint(keyHash);
  return checkpoint !== undefined && checkpoint.generation === String(generation) && checkpoint.lastPath !== null ? checkpoint : undefined;
}
