import { messageOf } from '../../../core/errors.ts';
import type { BuildCheckpoint, BuildOutcome, BuildStop, IndexRecordChanges, SnapshotId } from '../../../core/ports/index.ts';
import { mayBuildAgain } from '../safety/limits.ts';
import type { TaskContext } from './task-context.ts';

type OverBudget = Extract<BuildOutcome, { outcome: 'over-budget' }>;

/**
 * From here on this is the index, also after a kill.
 *
 * @returns why it is not: there is no room for it, or the disk refused; then nothing has changed
 */
export function adopt({ deps, memory }: TaskContext, snapshot: SnapshotId): BuildOutcome | undefined {
  if (!deps.quota.makeRoom()) return lacksRoom();
  try {
    deps.files.flip(snapshot);
  } catch (error) {
    return NO_ROOM.test(codeOf(error)) ? lacksRoom() : { outcome: 'failed', message: messageOf(error) };
  }
  const before = memory.snapshot;
  memory.snapshot = snapshot;
  const written = deps.store.write((records) => {
    followMerge(records, deps.keyHash, before, snapshot);
    records.update(deps.keyHash, { sizeBytes: deps.files.sizeOf(snapshot), generation: String(snapshot.generation) }, deps.now());
    return records.meta(deps.keyHash);
  });
  // The caller's next change of the record says what is to be said of a store that is lost.
  if (written.ok) memory.meta = written.value;
  return undefined;
}

/** A build that has not come to its end may go on from a snapshot that was merged meanwhile. */
function followMerge(records: IndexRecordChanges, keyHash: string, before: SnapshotId | null, { generation }: SnapshotId): void {
  const checkpoint = records.checkpoint(keyHash);
  if (checkpoint === undefined || before === null || checkpoint.generation !== String(before.generation)) return;
  if (before.generation !== generation) records.setCheckpoint(keyHash, { ...checkpoint, generation: String(generation) });
}

const NO_ROOM = /^(ENOSPC|EDQUOT)$/;

export function lacksRoom(): OverBudget {
  return { outcome: 'over-budget', why: 'DISK', files: 0, bytes: 0 };
}

/** A build that came to a limit begins again only if that makes sense (search-rules 17), or if somebody asks for it. */
export async function stoppedBefore(context: TaskContext): Promise<BuildOutcome | undefined> {
  const { deps, isAsked, run } = context;
  const stop = stopOf(context);
  if (stop === null || isAsked) return undefined;
  const measured = await run({ kind: 'measure', files: Number.MAX_SAFE_INTEGER, bytes: Number.MAX_SAFE_INTEGER });
  if (measured.outcome !== 'measured') return measured;
  const now = { settings: deps.limitsHash, eligibleFiles: measured.files, eligibleBytes: measured.bytes };
  return mayBuildAgain(stop, now) ? undefined : { outcome: 'over-budget', why: stop.why, files: stop.eligibleFiles, bytes: stop.eligibleBytes };
}

function stopOf({ deps }: TaskContext): BuildStop | null {
  const read = deps.store.read((records) => records.checkpoint(deps.keyHash)?.stop ?? null);
  return read.ok ? read.value : null;
}

/** Notes where a build came to a limit, so that it does not come there again for nothing. */
export function noteStop(context: TaskContext, { why, files, bytes }: OverBudget): void {
  const { deps } = context;
  // Before anything was counted there is nothing to compare with.
  if (files === 0) return;
  const stop: BuildStop = { why, settings: deps.limitsHash, eligibleFiles: files, eligibleBytes: bytes };
  const none: BuildCheckpoint = { generation: '', lastPath: null, epoch: 0, files: 0, bytes: 0, savedAtMs: deps.now(), stop };
  // How far a build came is not forgotten: it can go on from there when it may.
  deps.store.write((records) => records.setCheckpoint(deps.keyHash, { ...(records.checkpoint(deps.keyHash) ?? none), stop }));
}

/** A build came to its end: what stopped an earlier one means nothing any more. */
export function noteWhole({ deps }: TaskContext, { hiding }: Extract<BuildOutcome, { outcome: 'done' | 'nothing' }>): void {
  deps.store.write((records) => {
    records.setCheckpoint(deps.keyHash, null);
    records.update(deps.keyHash, { enumerateErrors: hiding }, deps.now());
  });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
