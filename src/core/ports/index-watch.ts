import type { TreeRefusal } from './content-search.ts';
import type { BytePath } from './index-host.ts';

/** What the kernel tells of a watched directory. The last four are about the watch, not about an entry. */
export type WatchEventKind =
  | 'MODIFY'
  | 'CLOSE_WRITE'
  | 'ATTRIB'
  | 'CREATE'
  | 'DELETE'
  | 'MOVED_FROM'
  | 'MOVED_TO'
  | 'DELETE_SELF'
  | 'MOVE_SELF'
  /** The file system of the directory was unmounted. */
  | 'UNMOUNT'
  /** The watch is gone: taken away, or with its directory. */
  | 'IGNORED'
  /** The kernel's queue was full: events are lost. `watch` means nothing. */
  | 'OVERFLOW';

export interface WatchEvent {
  readonly watch: number;
  readonly kind: WatchEventKind;
  readonly isDirectory: boolean;
  /** The same number in both halves of a rename, else 0. */
  readonly cookie: number;
  /** Name of the entry, one character for each byte; `''`: the watched directory itself. */
  readonly name: BytePath;
}

/** The watches of one descriptor. Each is of one directory and its entries, not of what lies deeper. Synchronous: nothing here waits. */
export interface DirectoryWatches {
  /** Watches a directory, never through a link as the last name; the same number again for a directory that is watched. */
  add(directory: Buffer | string): number | TreeRefusal;
  /** Nothing happens if it is gone. */
  remove(watch: number): void;
  /** Hands over every event of which the cause was over when this was called; how many there were. */
  drain(take: (event: WatchEvent) => void): number;
  close(): void;
}

/** Mounts that came, went or changed. */
export interface MountChange {
  /** One at the directory or above it is among them. */
  readonly above: boolean;
  /** Mount points of the others, which lie beneath the directory; absolute. */
  readonly beneath: readonly Buffer[];
}

/** The mounts at, above and beneath one directory. */
export interface MountWatch {
  /** What came, went or changed since the last call; `undefined`: nothing. Costs a system call, unless a mount anywhere changed. */
  changed(): MountChange | undefined;
  /** Mount points beneath the directory when it was opened, absolute. */
  readonly beneath: readonly Buffer[];
  close(): void;
}
