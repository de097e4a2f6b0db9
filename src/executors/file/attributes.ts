import type { ConfinedFile, Entry, FsResult } from '../../core/ports/index.ts';

const SET_ID_BITS = 0o6000;
const PERMISSION_BITS = 0o777;

/** Why a file cannot be moved to another file system without losing something of it. */
export function cannotTravel(source: Entry): string | undefined {
  if (source.nlink > 1) return 'the source has hard links, which a move to another file system would break';
  if ((source.mode & SET_ID_BITS) !== 0) return 'the source has setuid or setgid, which a move to another file system would drop';
  return undefined;
}

/** The same, for what only the opened files tell. */
export async function cannotTravelOpened(source: ConfinedFile, temporary: ConfinedFile): Promise<string | undefined> {
  for (const file of [source, temporary]) {
    const names = await file.extendedAttributes();
    if (!names.ok && names.refusal !== 'unsupported') return `extended attributes could not be read (${names.errno})`;
    if (names.ok && names.value.length > 0) return 'extended attributes or access control lists would be lost or added by a move to another file system';
  }
  return undefined;
}

/** A moved file keeps mode, owner and times; they are set on our own temporary file before anybody sees it. */
export async function keepAttributes(temporary: ConfinedFile, source: Entry): Promise<string | undefined> {
  const { mode, uid, gid, atimeNs, mtimeNs } = source;
  const set = await temporary.setAttributes({ mode, uid, gid, atimeNs, mtimeNs });
  if (!set.ok) return `mode, owner and times could not be kept (${set.errno})`;
  const kept = await temporary.stat();
  const same = kept.mode === mode && kept.uid === uid && kept.gid === gid && kept.atimeNs === atimeNs && kept.mtimeNs === mtimeNs;
  return same ? undefined : 'mode, owner or times could not be kept on the destination file system';
}

/** A copy is a new file of the worker's: the source's permission bits without the umask, times now. */
export async function newFileAttributes(temporary: ConfinedFile, source: Entry, umask: number): Promise<FsResult<void>> {
  const { uid, gid, atimeNs, mtimeNs } = await temporary.stat();
  return temporary.setAttributes({ mode: source.mode & PERMISSION_BITS & ~umask, uid, gid, atimeNs, mtimeNs });
}
