import { closeSync } from 'node:fs';
import type { TreeEnd } from '../../../core/ports/tree-source.ts';
import { DONE, endOf } from './end.ts';
import type { Opener } from './opener.ts';
import { namesBelow, ROOT, type TreePath } from './tree-path.ts';

/** A directory that the walk has not done with. */
export interface Level {
  readonly path: TreePath;
  /** Its descriptor; below zero while it is closed. */
  fd: number;
  /** Names of directories in it that were read and not entered yet. */
  pending: string[];
  /** Whether all of it has been read. */
  ended: boolean;
}

/** Descriptors held at most, whatever the depth of the tree; a walk needs two or three more for a moment. */
const OPEN_LEVELS = 128;
/** Levels that are opened again together: one way down from the root for all of them. */
const REOPENED = OPEN_LEVELS / 2;

/**
 * The way from the root down to where the walk is. The deepest levels are open; the ones above them are closed when
 * there are too many, and opened again on the way back, down from the root as for the first time: whatever was moved
 * meanwhile, what is opened lies at that path below the root.
 */
export class OpenLevels {
  readonly #opener: Opener;
  readonly #root: number;
  readonly #levels: Level[];
  /** Levels before this index are closed. */
  #firstOpen = 0;

  /** @param root descriptor of the root, closed by `close` */
  constructor(root: number, opener: Opener) {
    this.#opener = opener;
    this.#root = root;
    this.#levels = [{ path: ROOT, fd: root, pending: [], ended: false }];
  }

  /** The deepest level; `undefined` when the walk is over. */
  get top(): Level | undefined {
    return this.#levels.at(-1);
  }

  /** Whether one more level needs `shed` first. */
  get isFull(): boolean {
    return this.#levels.length - this.#firstOpen >= OPEN_LEVELS;
  }

  /** The open level nearest to the root. */
  get oldest(): Level | undefined {
    return this.#levels[this.#firstOpen];
  }

  push(path: TreePath, fd: number): void {
    this.#levels.push({ path, fd, pending: [], ended: false });
  }

  /** Closes the oldest open level; it must have been read to its end, since an offset does not outlive a descriptor. */
  shed(): void {
    const level = this.oldest;
    if (level === undefined) return;
    this.#release(level);
    this.#firstOpen += 1;
  }

  /** Leaves the deepest level. The one above it must be opened by `reopen` before it is used, if it is closed. */
  pop(): void {
    const level = this.#levels.pop();
    if (level !== undefined) this.#release(level);
    this.#firstOpen = Math.min(this.#firstOpen, this.#levels.length);
  }

  /** Opens the deepest levels again. When one of them is not there any more, it and all below it are left. */
  reopen(): TreeEnd {
    const first = Math.max(0, this.#levels.length - REOPENED);
    this.#firstOpen = first;
    let [from, above] = [this.#root, ROOT];
    for (const [i, level] of this.#levels.slice(first).entries()) {
      const fd = level.path === ROOT ? this.#root : this.#opener.directory(from, namesBelow(above, level.path));
      if (fd < 0) {
        this.#levels.length = first + i;
        return endOf(fd, level.path);
      }
      level.fd = fd;
      [from, above] = [fd, level.path];
    }
    return DONE;
  }

  close(): void {
    while (this.top !== undefined) this.pop();
    closeSync(this.#root);
  }

  #release(level: Level): void {
    if (level.fd >= 0 && level.fd !== this.#root) closeSync(level.fd);
    level.fd = -1;
  }
}
