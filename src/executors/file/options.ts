import type { Clock } from '../../core/clock.ts';
import type { ConfinedFileSystem, FileJournal, InstanceRegistry } from '../../core/ports/index.ts';
import type { RecoveryAction } from './classify.ts';

/** A base directory as configured: an absolute, normalized path of a directory on a local file system. */
export interface BaseOption {
  readonly id: string;
  readonly path: string;
}

/** What became of a base directory: exchanged, come back by itself, or what stands at its path taken up in its place. */
export interface BaseChange {
  readonly base: string;
  readonly path: string;
  readonly what: 'exchanged' | 'returned' | 'taken-up';
  readonly why: string;
}

export interface FileLimits {
  /** Wall-clock limit of one run, milliseconds; the caller aborts the run's signal with the reason `timeout`. */
  readonly maxRunMs: number;
  /** Largest file, in bytes, whose content is copied (FILE_COPY, moves across file systems). A rename has no limit. */
  readonly maxBytes: number;
  /** Files up to this size are hashed while they are copied, bytes; a larger copy has no sha256 in its result. */
  readonly hashMaxBytes: number;
  /** Bytes that the vault of one base directory may hold. */
  readonly vaultQuotaBytes: number;
}

/** What recovery does with an open attempt (`docs/protocol.md` 6). */
export type RecoveryDecision = RecoveryAction | 'incident';

/** What `createFileExecutor` needs; everything outside this process comes through the ports. */
export interface FileExecutorOptions {
  /** Empty: every path is refused. Base directories may not nest. */
  readonly bases: readonly BaseOption[];
  readonly fileSystem: ConfinedFileSystem;
  readonly journal: FileJournal;
  readonly instances: InstanceRegistry;
  readonly limits: FileLimits;
  readonly clock: Clock;
  /** A subset of the three capabilities; all by default. */
  readonly capabilities?: ReadonlySet<string>;
  /** Bits that a FILE_COPY takes away from the source's permissions; 0o022 by default. */
  readonly umask?: number;
  /** How long the same must stand at the path of an exchanged base directory before it is taken up, milliseconds; 10 s by default. */
  readonly settleMs?: number;
  /** Told when a base directory was exchanged, came back, or was replaced by what stands at its path. */
  readonly onBaseChange?: (change: BaseChange) => void;
  /**
   * Test seam: called right after each crash point of `docs/protocol.md`. Chaos tests kill the process in it, others
   * throw (an exception out of an executor is a crash: nothing is cleaned up) or change files under the executor's feet.
   */
  readonly onPoint?: (point: CrashPoint, taskId: string) => void;
  /** Told what recovery decided about an open attempt; `incident`: one was written to the journal, also by a run whose worker lives. */
  readonly onRecovery?: (decision: RecoveryDecision) => void;
}

/**
 * The crash points of `docs/protocol.md` sections 5 and 6, in the order in which an effect passes them. `taken-back` and
 * `withdrawn` are on the way back. A point is passed when the step of that name has just been done.
 */
export const CRASH_POINTS = [
  'intent',
  'M1',
  'L1',
  'L2',
  'M2',
  'C1',
  'C2',
  'C3',
  'sealed',
  'C4',
  'C5',
  'published',
  'X6',
  'X7',
  'X8',
  'taken-back',
  'withdrawn',
  'before-close',
] as const;

export type CrashPoint = (typeof CRASH_POINTS)[number];

/** Tells the test seam of one run that a point was passed. */
export type PassPoint = (point: CrashPoint) => void;
