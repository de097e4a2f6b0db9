import type { TreeEnd, TreeVisitor } from '../../../core/ports/tree-source.ts';
import type { Libc } from '../libc.ts';
import { DONE, endOf } from './end.ts';
import { type EntryTaker, nameOf, takeEntries } from './entries.ts';
import { type Level, OpenLevels } from './open-levels.ts';
import { type Opener, typeOfPinned } from './opener.ts';
import { pathOf, type TreePath } from './tree-path.ts';

/** 64 KiB to 256 KiB are equally fast. */
const BLOCK_BYTES = 128 * 1024;
/** A directory with more directories than this is read on after these have been walked. */
const MANY = 4096;

/**
 * Walks depth first from the open directory `root`, and closes it. Names are handed on while a directory is read; kept
 * are the names of directories only, at most `MANY` and those of one block for each level.
 */
export function walkTree(libc: Libc, opener: Opener, root: number, visitor: TreeVisitor): TreeEnd {
  const levels = new OpenLevels(root, opener);
  const read = createReader(libc, opener, visitor);

  /** Goes down to the directory that has this name in the deepest level. */
  function enter(level: Level, name: string): TreeEnd {
    const path: TreePath = { parent: level.path, name };
    const fd = opener.directory(level.fd, [name]);
    // A level that is done with makes room at once: a chain of single directories needs one descriptor.
    if (level.ended && level.pending.length === 0) levels.pop();
    if (fd < 0) return endOf(fd, path);
    levels.push(path, fd);
    return DONE;
  }

  /** Closes the level nearest to the root when one more would be too many; an offset would not outlive its descriptor, so it is read to its end before. */
  function makeRoom(): TreeEnd {
    const oldest = levels.oldest;
    if (!levels.isFull || oldest === undefined) return DONE;
    const end = oldest.ended ? DONE : read(oldest, Number.POSITIVE_INFINITY);
    levels.shed();
    return end;
  }

  function step(level: Level): TreeEnd {
    if (level.fd < 0) return levels.reopen();
    const name = level.pending.pop();
    if (name !== undefined) {
      const end = makeRoom();
      return end.ok ? enter(level, name) : end;
    }
    if (!level.ended) return read(level, MANY);
    levels.pop();
    return DONE;
  }

  try {
    let end = DONE;
    for (let level = levels.top; level !== undefined && end.ok; level = levels.top) end = step(level);
    return end;
  } finally {
    levels.close();
  }
}

/** Reads on in a level until it ends or `most` directories are pending. */
function createReader(libc: Libc, opener: Opener, visitor: TreeVisitor): (level: Level, most: number) => TreeEnd {
  const block = Buffer.allocUnsafe(BLOCK_BYTES);
  let current: Level;
  let end: TreeEnd;

  const take: EntryTaker = {
    file: (from, to) => visitor.file(block, from, to),
    directory(from, to) {
      const name = nameOf(block, from, to);
      if (name !== undefined) current.pending.push(name);
    },
    unknown(from, to) {
      const name = nameOf(block, from, to);
      if (name === undefined || !end.ok) return;
      const pin = opener.pin(current.fd, name);
      if (pin < 0) {
        end = endOf(pin, { parent: current.path, name });
        return;
      }
      const type = typeOfPinned(pin);
      if (type === 'file') visitor.file(block, from, to);
      else if (type === 'directory') current.pending.push(name);
    },
  };

  return (level, most) => {
    [current, end] = [level, DONE];
    visitor.enter({ path: () => pathOf(level.path), textOf: (_block, from, to) => nameOf(block, from, to) });
    while (end.ok && !level.ended && level.pending.length < most) {
      const filled = libc.getdentsSync(level.fd, block);
      level.ended = filled <= 0;
      if (filled < 0) return endOf(filled, level.path);
      takeEntries(block, filled, take);
    }
    return end;
  };
}
