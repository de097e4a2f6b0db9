import type { BytePath, TreeEntry } from '../../../core/ports/index.ts';
import type { Arming } from './arming.ts';
import { byteName, join } from './watching.ts';

export interface NewDirectoriesParts {
  readonly start: (subtrees: readonly BytePath[], onListed: (path: BytePath, entries: readonly TreeEntry[]) => void) => Arming;
  readonly linksOf: (path: BytePath) => number | undefined;
  /** Told of subtrees that are watched from here on. They may have been written to before, so they count as changed again. */
  readonly onArmed: (subtrees: readonly BytePath[]) => void;
  /** Told when new directories cannot be watched. */
  readonly onRefused: () => void;
  /** Told when a file in them has several names, of which one may be known. */
  readonly onLinked: () => void;
  /** Told of each directory that the walk lists, before links are counted. */
  readonly onListed: (path: BytePath, entries: readonly TreeEntry[]) => void;
}

/** Directories that came after the arming. Until they are watched and their links are counted, a search must leave nothing out. */
export interface NewDirectories {
  readonly queue: Set<BytePath>;
  readonly isIdle: boolean;
  /** Does at most so many slices of work. */
  advance(slices: number): void;
}

export function createNewDirectories({ start, linksOf, onArmed, onRefused, onLinked, onListed }: NewDirectoriesParts): NewDirectories {
  const queue = new Set<BytePath>();
  let current: { readonly subtrees: readonly BytePath[]; readonly arming: Arming } | undefined;

  const begin = () => {
    const subtrees = [...queue];
    queue.clear();
    const arming = start(subtrees, (path, entries) => {
      onListed(path, entries);
      if (isIn(subtrees, path) && entries.some((entry) => entry.kind === 'file' && (linksOf(join(path, byteName(entry))) ?? 1) > 1)) onLinked();
    });
    return { subtrees, arming };
  };
  return {
    queue,
    get isIdle() {
      return current === undefined && queue.size === 0;
    },
    advance(slices) {
      for (let slice = 0; slice < slices; slice += 1) {
        if (current === undefined && queue.size === 0) return;
        current ??= begin();
        const said = current.arming.step();
        if (said === undefined) continue;
        const { subtrees } = current;
        current = undefined;
        if (!said.ok) onRefused();
        onArmed(subtrees);
      }
    },
  };
}

const isIn = (subtrees: readonly BytePath[], path: BytePath): boolean =>
  subtrees.some((subtree) => subtree === '' || path === subtree || path.startsWith(`${subtree}/`));
