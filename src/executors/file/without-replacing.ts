import type { FsResult } from '../../core/ports/index.ts';
import { type Effect, executionFailed, incident, type Transfer } from './effect.ts';
import { sameInode } from './identity.ts';
import { type OpenedPath, syncAll } from './opened-path.ts';

/**
 * Gives a name of ours to another place without replacing anything: a rename, or link and unlink where the kernel lacks
 * RENAME_NOREPLACE. Only for names that are ours alone (temporary and vault files) and for ways back.
 */
export async function moveWithoutReplacing(from: OpenedPath, to: OpenedPath): Promise<FsResult<void>> {
  const renamed = await from.parent.renameNoReplace(from.name, to.parent, to.name);
  if (renamed.ok || renamed.refusal !== 'unsupported') return renamed;
  const linked = await from.parent.link(from.name, to.parent, to.name);
  if (!linked.ok) return linked;
  const dropped = await dropLinkedName(from, to);
  if (dropped.ok) return dropped;
  // A refusal says that nothing has happened: the file keeps its first name alone, also when the power goes.
  await dropLinkedName(to, from);
  await to.parent.sync();
  return dropped;
}

/** The end of a way back: the effect is gone from these directories for good before anybody is told so. */
export async function tookBack(transfer: Transfer, paths: readonly OpenedPath[], doubt: string): Promise<Effect> {
  transfer.pass('taken-back');
  const errno = await syncAll(paths);
  if (errno !== undefined) return incident(transfer, `${doubt}; it was taken back, and that could not be made durable (${errno})`);
  return executionFailed(`${doubt}; it was taken back`);
}

/**
 * Whether a file of ours may have a name beside this one, though we have given it one only: where a move is link and unlink,
 * somebody may have moved it away between the two, under the name that was to go.
 */
export async function mayHaveSecondName({ parent, name }: OpenedPath): Promise<boolean> {
  const entry = await parent.entry(name);
  return entry.ok ? entry.value.nlink > 1 : entry.refusal !== 'missing';
}

/**
 * Takes the first of two names away, if both are the one file: then nothing can be lost. The name that stays is durable
 * first: without that the power could take the new name and keep the removal of the old one.
 */
export async function dropLinkedName(from: OpenedPath, kept: OpenedPath): Promise<FsResult<void>> {
  const [first, second] = await Promise.all([from.parent.entry(from.name), kept.parent.entry(kept.name)]);
  if (!second.ok) return second;
  if (!first.ok && first.refusal !== 'missing') return first;
  // Somebody put another file there meanwhile, or took ours away: that name is not ours any more.
  if (!first.ok || !sameInode(first.value, second.value)) return { ok: true, value: undefined };
  const synced = await kept.parent.sync();
  return synced.ok ? from.parent.unlink(from.name) : synced;
}
