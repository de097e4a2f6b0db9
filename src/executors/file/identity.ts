import type { DirectoryIdentity, Entry, FileIdentity } from '../../core/ports/index.ts';

/** The same object, whatever was done to it. */
export function sameInode(a: DirectoryIdentity, b: DirectoryIdentity): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}

/** The same file with the same content, wherever it has been in between. */
export function sameFile(a: FileIdentity, b: FileIdentity): boolean {
  return sameInode(a, b) && a.size === b.size && a.mtimeNs === b.mtimeNs;
}

/** The same file, and nobody touched the inode at all: a rename there and back would have changed its ctime. */
export function untouched(a: FileIdentity, b: FileIdentity): boolean {
  return sameFile(a, b) && a.ctimeNs === b.ctimeNs;
}

/** Only what the journal keeps of an entry. */
export function identityOf({ dev, ino, size, mtimeNs, ctimeNs }: Entry | FileIdentity): FileIdentity {
  return { dev, ino, size, mtimeNs, ctimeNs };
}
