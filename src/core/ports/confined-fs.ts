import type { FileIdentity } from './journal.ts';
import type { Standing } from './place.ts';

/** A directory, wherever its name may go. */
export interface DirectoryIdentity {
  readonly dev: string;
  readonly ino: string;
}

export type EntryType = 'file' | 'directory' | 'symlink' | 'other';

/** lstat of one name. */
export interface Entry extends FileIdentity {
  readonly type: EntryType;
  readonly nlink: number;
  /** Permission bits with setuid, setgid and sticky. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly atimeNs: string;
  /** Room that it takes, bytes: less than its size where it has holes. */
  readonly allocatedBytes: string;
}

/**
 * Why the file system said no. `symlink`, `escape` and `mount` are confinement: a symbolic link in any component, a
 * path that leaves the base, a mount point below the base. `not-a-file`: a directory, FIFO, socket or device where a
 * regular file was asked for. Everything that is not listed is `io`.
 */
export type FsRefusal =
  | 'missing'
  | 'exists'
  | 'not-a-directory'
  | 'not-a-file'
  | 'symlink'
  | 'escape'
  | 'mount'
  | 'cross-device'
  | 'no-space'
  | 'permission'
  | 'name-too-long'
  | 'read-only'
  | 'unsupported'
  | 'io';

/** A refusal of the file system is a value; `errno` is its symbolic name (`ENOENT`). */
export type FsResult<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly refusal: FsRefusal; readonly errno: string };

/** Metadata that a move across file systems carries to our own temporary file. */
export interface Attributes {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly atimeNs: string;
  readonly mtimeNs: string;
}

export interface CopyOptions {
  /** Looked at between chunks; when aborted, `copyTo` rejects with its reason and the target is incomplete. */
  readonly signal?: AbortSignal;
  /** Bytes written so far, about every 8 MiB and at the end. */
  readonly onBytes?: (total: number) => void;
  /** False: the bytes are not hashed, which bounds a copy to the speed of SHA-256. Default true. */
  readonly hash?: boolean;
}

export interface CopySummary {
  readonly bytes: number;
  /** Lower-case hexadecimal SHA-256 of exactly the bytes that were written; `undefined` when they were not hashed. */
  readonly sha256: string | undefined;
}

/** An open regular file. */
export interface ConfinedFile {
  stat(): Promise<Entry>;
  /** Reads into `buffer` from `position`; 0 at the end. */
  read(buffer: Uint8Array, position: number): Promise<FsResult<number>>;
  /** Writes all of `buffer` at `position`. */
  write(buffer: Uint8Array, position: number): Promise<FsResult<void>>;
  /**
   * Copies all bytes of this file to the beginning of `target`, a new empty file of the same adapter. Holes stay holes
   * where the file system tells them, and count in the digest as the zeros that a reader sees. Reading, hashing and writing overlap; none of them runs on the event loop (but the hash of up to 64 KiB). Answers `no-space` before the first byte
   * where the file system can tell. Does not fsync.
   */
  copyTo(target: ConfinedFile, options?: CopyOptions): Promise<FsResult<CopySummary>>;
  setAttributes(attributes: Attributes): Promise<FsResult<void>>;
  /** Names of extended attributes (ACLs among them); a file that has some is not moved across file systems. */
  extendedAttributes(): Promise<FsResult<readonly string[]>>;
  sync(): Promise<FsResult<void>>;
  close(): Promise<void>;
}

/** An open directory beneath a base. All names are single components; nothing here follows a symbolic link. */
export interface ConfinedDirectory {
  readonly identity: DirectoryIdentity;
  entry(name: string): Promise<FsResult<Entry>>;
  /** Opens a regular file for reading, without following and without blocking on a FIFO. */
  openFile(name: string): Promise<FsResult<ConfinedFile>>;
  /** Creates a new empty file (O_EXCL, mode 0600) for writing. */
  createFile(name: string): Promise<FsResult<ConfinedFile>>;
  makeDirectory(name: string, mode: number): Promise<FsResult<void>>;
  /** renameat2(RENAME_NOREPLACE). `unsupported` when kernel or file system lacks it. */
  renameNoReplace(name: string, to: ConfinedDirectory, toName: string): Promise<FsResult<void>>;
  link(name: string, to: ConfinedDirectory, toName: string): Promise<FsResult<void>>;
  unlink(name: string): Promise<FsResult<void>>;
  /**
   * Whether a file could be taken out of this directory, as far as a look tells: `permission`, `read-only` or why the name cannot
   * be looked at. A look is no proof. Changes nothing, and says yes where it cannot tell.
   */
  mayLeave(name: string): Promise<FsResult<void>>;
  names(): Promise<FsResult<readonly string[]>>;
  /** fsync of the directory. Concurrent callers may share one fsync that starts after their calls. */
  sync(): Promise<FsResult<void>>;
  close(): Promise<void>;
}

/** An open base directory: the only way onto its file system. */
export interface ConfinedBase {
  readonly id: string;
  /** Absolute, normalized, as configured. */
  readonly path: string;
  readonly identity: DirectoryIdentity;
  readonly mount: {
    /** Names the mount that the base lies on, for as long as it is open. */
    readonly id: string;
    /** Whether the base is the top of its mount: a file system was mounted exactly here. */
    readonly isTop: boolean;
  };
  /** Whether the base's path still leads to this very directory. Asks the kernel, once, without waiting for a disk. */
  standing(): Standing;
  /**
   * Opens the directory at `segments` (none: the base itself) beneath the base: no symbolic link, no magic link, no
   * mount point in any component.
   */
  directory(segments: readonly string[]): Promise<FsResult<ConfinedDirectory>>;
  /** Bytes free for an unprivileged writer. */
  freeBytes(): Promise<number>;
  close(): Promise<void>;
}

/** `openat2`: the kernel resolves. `walk`: component by component with O_NOFOLLOW, for kernels without openat2. */
export type ConfinementLevel = 'openat2' | 'walk';

export interface ConfinedFileSystem {
  readonly level: ConfinementLevel;
  /** Opens a base directory. Throws WritError INVALID_CONFIG when it is no directory or lies on a type of file system that is not allowed. */
  openBase(id: string, path: string): Promise<ConfinedBase>;
}
