import type { ConfinementLevel, FsResult } from '../../../core/ports/confined-fs.ts';

/** The open base below which everything is resolved. */
export interface Anchor {
  /** Descriptor of the base directory. */
  readonly fd: number;
  /** Device number of the base: a directory on another one is a mount point (or a subvolume). */
  readonly dev: bigint;
  /** Kernel's id of the mount that the base lies on; read by the level `walk` only. */
  readonly mountId: string;
}

/**
 * How a name becomes a descriptor without leaving the base. `segments` and `name` are checked single components.
 * The descriptors belong to the caller.
 */
export interface Resolver {
  readonly level: ConfinementLevel;
  /** Opens the directory at `segments` for reading, so that it can be fsynced. No segment: the base itself. */
  directory(anchor: Anchor, segments: readonly string[]): FsResult<number> | Promise<FsResult<number>>;
  /**
   * Opens whatever has this name in `directory` as O_PATH: neither a FIFO nor a device notices, and a symbolic link is
   * opened itself. A name that something is mounted on is refused.
   */
  pin(anchor: Anchor, directory: number, name: string): FsResult<number> | Promise<FsResult<number>>;
}
