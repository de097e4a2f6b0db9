import type { BasePath, FileIntent, FsResult } from '../../core/ports/index.ts';
import { stopReason } from '../../core/stopped.ts';
import { type Attempt, type Effect, executionFailed, incident, type Sealed, type WithdrawnCopy } from './effect.ts';
import { sameFile, sameInode, untouched } from './identity.ts';
import { type OpenedPath, openPath, syncAll } from './opened-path.ts';
import { sameBytes } from './same-bytes.ts';
import { vaultPath } from './vault-names.ts';
import { dropLinkedName, moveWithoutReplacing } from './without-replacing.ts';

/** Where the copy of a move is put when it has to go: the same on every run, so that recovery finds it. */
export function withdrawnPlace({ taskId, destination }: FileIntent, n: number): BasePath {
  return vaultPath(destination.base, 'withdrawn', taskId, n);
}

/** A copy that stays in the vault, for its books. */
export function withdrawnCopy({ intent, n }: Attempt, { size }: Sealed): WithdrawnCopy {
  return { place: withdrawnPlace(intent, n), bytes: Number(size) };
}

/**
 * Our copy goes into the vault of its base: it may hold bytes that exist nowhere else. Where every one of them stands in the
 * source, too, it is removed there, and nothing has happened (docs/protocol.md 6, A copy that is withdrawn).
 *
 * @param destination undefined where its directory cannot be reached any more
 * @param source      undefined as well
 */
export async function withdraw(
  attempt: Attempt,
  { destination, source }: { readonly destination: OpenedPath | undefined; readonly source: OpenedPath | undefined },
  sealed: Sealed,
  why: string,
): Promise<Effect> {
  const { bases, intent, n, descriptors, pass, signal } = attempt;
  const vault = await openPath(bases, withdrawnPlace(intent, n), descriptors);
  const moved = vault.ok && (await intoVault(destination, vault.value, sealed)).ok;
  if (!vault.ok || !moved) return incident(attempt, `${why}; the copy could not be withdrawn`);
  pass('withdrawn');
  const kept = withdrawnCopy(attempt, sealed);
  const errno = await syncAll(destination === undefined ? [vault.value] : [destination, vault.value]);
  if (errno !== undefined) return incident(attempt, `${why}; the copy was withdrawn, and that could not be made durable (${errno})`, {}, kept);
  if (source === undefined || !(await discard(attempt, source, vault.value, sealed))) {
    const reason = stopReason(signal);
    // Recovery goes on from here.
    if (reason === 'lock-lost' || reason === 'shutdown') return { kind: 'stopped', reason };
    return incident(attempt, `${why}; the copy was withdrawn`, {}, kept);
  }
  pass('taken-back');
  return executionFailed(`${why}; the copy was taken back`);
}

/** Also where it lies there already, perhaps under its second name only: a worker died in the midst of this. */
async function intoVault(destination: OpenedPath | undefined, vault: OpenedPath, sealed: Sealed): Promise<FsResult<void>> {
  const there = await vault.parent.entry(vault.name);
  const isThere = there.ok && sameInode(there.value, sealed);
  if (destination === undefined) return isThere ? { ok: true, value: undefined } : MISSING;
  if (isThere) return dropLinkedName(destination, vault);
  const entry = await destination.parent.entry(destination.name);
  if (!entry.ok) return entry;
  return sameInode(entry.value, sealed) ? moveWithoutReplacing(destination, vault) : MISSING;
}

const MISSING = { ok: false, refusal: 'missing', errno: 'ENOENT' } as const;

/**
 * Removes a withdrawn copy that is what was sealed, has no other name, and holds nothing that the source does not hold: both
 * stand still while their bytes are compared. Nobody but us reaches a name in the vault. False: it lies there still, or may.
 */
async function discard({ intent, descriptors, signal }: Attempt, source: OpenedPath, vault: OpenedPath, sealed: Sealed): Promise<boolean> {
  const [original, copy] = await Promise.all([source.parent.openFile(source.name), vault.parent.openFile(vault.name)]);
  for (const opened of [original, copy]) if (opened.ok) descriptors.add(opened.value);
  if (!original.ok || !copy.ok) return false;
  const [stands, ours] = await Promise.all([original.value.stat(), copy.value.stat()]);
  if (!sameFile(stands, intent.sourceIdentity) || !sameFile(ours, sealed) || ours.nlink !== 1) return false;
  if (!(await sameBytes(original.value, copy.value, signal))) return false;
  const [standsStill, oursStill] = await Promise.all([source.parent.entry(source.name), vault.parent.entry(vault.name)]);
  if (!standsStill.ok || !oursStill.ok || !untouched(standsStill.value, stands) || !untouched(oursStill.value, ours)) return false;
  // It may have been given its name back a moment ago: the power must not take that and leave no copy.
  if (!(await source.parent.sync()).ok) return false;
  return (await vault.parent.unlink(vault.name)).ok && (await vault.parent.sync()).ok;
}
