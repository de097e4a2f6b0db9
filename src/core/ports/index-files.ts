import type { SnapshotId } from './index-host.ts';

/** Bytes that can be read at any place: a file, or memory. */
export interface ByteSource {
  readonly size: number;
  /** Exactly `length` bytes from `offset`, or fewer where the source ends. */
  read(offset: number, length: number): Buffer;
}

/** Where a segment goes. Writes come in order, but for the header, which comes last. */
export interface ByteSink {
  append(bytes: Uint8Array): void;
  writeHeader(bytes: Uint8Array): void;
}

/** Why a file of an index, or of a tree, cannot be had; `code` is an errno name. */
export interface FileRefusal {
  readonly refused: string;
}

/** One segment of an index: delta 0 is the base of the generation. */
export interface SegmentName {
  readonly generation: number;
  readonly delta: number;
}

export interface OpenSegmentFile extends ByteSource {
  /** Says that two opened files are the same one, also if one of the same name took its place in between. */
  readonly identity: string;
  close(): void;
}

/** A segment that is being written; nobody sees it before `finish`. */
export interface SegmentFileWriter extends ByteSink {
  /** Makes it durable under its name (fsync, rename, fsync of the directory). */
  finish(): void;
  /** Leaves nothing. */
  discard(): void;
}

/** The files of one index. Synchronous: whoever calls has a thread of his own, or reads little. What the disk refuses is thrown as an `Error` with `code`. */
export interface IndexFiles {
  open(name: SegmentName): OpenSegmentFile | FileRefusal;
  create(name: SegmentName): SegmentFileWriter;
  /** Sorted parts of an inversion; they die with the build. */
  runs(generation: number): { write(run: number, parts: Iterable<Uint8Array>): void; read(run: number): ByteSource; clear(): void };
  /** What `CURRENT` names; `undefined` if there is none, `DAMAGED` if it is not what was written. */
  current(): SnapshotId | 'DAMAGED' | undefined;
  /** Replaces `CURRENT` atomically and durably. */
  flip(snapshot: SnapshotId): void;
  /** Bytes on the disk of all segments of a snapshot. */
  sizeOf(snapshot: SnapshotId): number;
  /** Removes every segment, run and leftover that is not of this snapshot; everything without one. */
  sweep(keep: SnapshotId | null): void;
  /** Puts everything where nobody opens it, for people to look at; what was put there before goes (docs/index-safety.md 4). */
  quarantine(): void;
  /** Removes everything, what was put aside included: first out of the way, so that nobody finds half of it (FR-LSI-IDX-RM-03). */
  purge(): void;
}

/** A file of the tree as the descriptor tells it. */
export interface TreeFileStat {
  readonly size: number;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly ino: bigint;
  readonly dev: bigint;
  readonly links: number;
  /** Whether its mode lets its owner read it, whoever asks: a backend may go by that although it could open the file. */
  readonly ownerMayRead: boolean;
}

export interface TreeFileRead {
  /** Valid until the next read. Empty when `stat.size` is above the limit. */
  readonly bytes: Buffer;
  /** Taken before the read. */
  readonly stat: TreeFileStat;
  /** Whether size, times and identity were the same after the read. */
  readonly stable: boolean;
}

/** How a build looks at the files of a tree; a link as the last name is refused (ELOOP), and a FIFO cannot hold anything up. */
export interface TreeFiles {
  read(path: Buffer | string, maxBytes: number): TreeFileRead | FileRefusal;
  /**
   * Reads a file window after window. `take` gets the bytes from where it has come to, and says how many of them it is done
   * with; what is left begins the next window. It ends with the file, or when it says undefined: then `isWhole` is false.
   */
  readWindows(
    path: Buffer | string,
    windowBytes: number,
    take: (bytes: Buffer, isLast: boolean) => number | undefined,
  ): (Omit<TreeFileRead, 'bytes'> & { readonly bytesRead: number; readonly isWhole: boolean }) | FileRefusal;
  /** Without following a link as the last name, and without opening it. `EINVAL`: no regular file. */
  stat(path: Buffer | string): TreeFileStat | FileRefusal;
}
