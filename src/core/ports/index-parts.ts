import type { IndexTaskKind } from '../../contracts/index.ts';
import type { Lifecycle } from '../lifecycle.ts';
import type { IndexSafety } from './content-index.ts';
import type { SegmentName } from './index-files.ts';
import type { BytePath, HostVeto, OverlayEntry, Published, SnapshotId } from './index-host.ts';

/** What the watch thread tells the writer without being asked. */
export type WatchSignal =
  /** Raised this moment; searches leave nothing out any more. `seq`: number of the newest event then. */
  | { readonly kind: 'veto'; readonly veto: HostVeto; readonly seq: number }
  /** There are entries to be worked on; said again after each further event, at most every `index_watch_debounce_ms`, and once when there are none. */
  | { readonly kind: 'pending'; readonly entries: number }
  /** A search found damage in a segment. */
  | { readonly kind: 'corrupt'; readonly message: string }
  /** So many searches have asked since this was last said; at most once a second. */
  | { readonly kind: 'asked'; readonly searches: number };

export type ArmResult =
  | { readonly ok: true; readonly seq: number; readonly directories: number; readonly warnings: number }
  /** `LIMIT`: watches or instances of this user are used up; `FILE_SYSTEM`: no kind that tells all changes, but one of this
   * host; `REMOTE`: one on which not even stat(2) is to be believed; else an errno name. */
  | { readonly ok: false; readonly refused: string };

/** The watch thread, as the writer has it. */
export interface IndexWatch extends Lifecycle {
  /** Watches every directory of the walk, from scratch. What the overlay knows stays. Lifts nothing by itself. */
  arm(): Promise<ArmResult>;
  /** After everything that has happened was read: the number of the newest event, and entries of the overlay, oldest first. */
  pending(limit: number): Promise<{ readonly seq: number; readonly entries: readonly OverlayEntry[]; readonly more: boolean }>;
  /** From the answer on, every barrier tells this. */
  publish(published: Published): Promise<void>;
  /** What `status` is answered on the socket. */
  setStatus(status: string): void;
  onSignal(listener: (signal: WatchSignal) => void): void;
}

/** What the build thread is asked to do. Each writes at most one segment, under a name that the writer chose. */
export type BuildJob =
  | {
      readonly kind: 'build';
      readonly into: SegmentName;
      /** Goes on from what a build that did not come to its end has left: looks at each of its files again, and reads the others. */
      readonly resume?: SnapshotId;
      /** Whether a build that is asked to stop keeps what it has read. One whose time is over does so anyway. */
      readonly keepOnStop?: boolean;
    }
  | { readonly kind: 'validate'; readonly snapshot: SnapshotId; readonly into: SegmentName }
  | { readonly kind: 'update'; readonly snapshot: SnapshotId; readonly entries: readonly OverlayEntry[]; readonly into: SegmentName }
  /** Makes one of the segments from `from` (a place in base, deltas...) to the newest. */
  | { readonly kind: 'merge'; readonly snapshot: SnapshotId; readonly from: number; readonly into: SegmentName }
  | { readonly kind: 'check'; readonly snapshot: SnapshotId }
  /** Whether the tree is larger than either. */
  | { readonly kind: 'measure'; readonly files: number; readonly bytes: number };

export type BuildPhase = 'ENUMERATE' | 'TOKENIZE' | 'PERSIST';

export interface BuildProgress {
  readonly phase: BuildPhase;
  readonly filesDone: number;
  /** 0 before it is known. */
  readonly filesTotal: number;
  readonly bytesDone: number;
}

export type BuildOutcome =
  /** The segment is durable under its name; nobody reads it before the writer says so. */
  | {
      readonly outcome: 'done';
      readonly documents: number;
      readonly bytes: number;
      /** Files that were read. */
      readonly read: number;
      readonly readBytes: number;
      /** Things that may hide files: directories that could not be read, and other warnings of the walk. */
      readonly hiding: number;
    }
  /** The segment is written durably and complete up to `lastPath`; the files after it are missing, and the next build resumes there (FR-LSI-BG-40). */
  | {
      readonly outcome: 'partial';
      readonly why: 'STOPPED' | 'TIME';
      readonly documents: number;
      readonly bytes: number;
      readonly read: number;
      readonly readBytes: number;
      /** The last file in the order of the walk that is in it. */
      readonly lastPath: BytePath;
    }
  /** No segment was needed: nothing differs. */
  | { readonly outcome: 'nothing'; readonly hiding: number }
  /** So much differs that a build is the better way. */
  | { readonly outcome: 'rebuild' }
  | { readonly outcome: 'measured'; readonly above: boolean; readonly files: number; readonly bytes: number }
  | { readonly outcome: 'checked'; readonly findings: readonly string[] }
  /** Asked to stop; nothing is left. */
  | { readonly outcome: 'stopped' }
  | { readonly outcome: 'over-budget'; readonly why: 'DISK' | 'TIME' | 'FILES' | 'BYTES'; readonly files: number; readonly bytes: number }
  | { readonly outcome: 'corrupt'; readonly message: string }
  /** Nothing durable is left of it. */
  | { readonly outcome: 'failed'; readonly message: string };

/** The build thread, as the writer has it. One job at a time. */
export interface IndexBuilder extends Lifecycle {
  run(job: BuildJob, options: { readonly signal: AbortSignal; readonly onProgress: (progress: BuildProgress) => void }): Promise<BuildOutcome>;
  /** No search for a while: the throttle is off (FR-LSI-BG-32). */
  setBoost(on: boolean): void;
}

/** What an index host reports of itself, for logs and metrics. */
export type IndexHostEvent =
  | { readonly kind: 'state'; readonly before: IndexSafety; readonly after: IndexSafety; readonly rows: readonly string[] }
  | { readonly kind: 'veto'; readonly veto: HostVeto }
  | {
      readonly kind: 'task';
      readonly task: IndexTaskKind;
      readonly outcome: BuildOutcome['outcome'] | 'skipped';
      readonly detail: string;
      readonly elapsedMs: number;
    }
  | { readonly kind: 'armed'; readonly result: ArmResult }
  | { readonly kind: 'records-lost'; readonly message: string };
