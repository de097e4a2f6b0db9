import type { BytePath, OverlayPaths } from '../../../core/ports/index.ts';

/** Whether a path is in the overlay, or beneath one of its subtrees: then the snapshot has no say. */
export function coveredBy({ files, subtrees }: OverlayPaths): (path: BytePath) => boolean {
  if (files.length === 0 && subtrees.length === 0) return () => false;
  if (subtrees.includes('')) return () => true;
  const [single, whole] = [new Set(files), new Set(subtrees)];
  return (path) => single.has(path) || whole.has(path) || isBeneathOne(path, whole);
}

function isBeneathOne(path: BytePath, directories: ReadonlySet<BytePath>): boolean {
  if (directories.size === 0) return false;
  for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1)) if (directories.has(path.slice(0, slash))) return true;
  return false;
}

/** Subtrees that are not beneath another one, each once. */
export function outermost(subtrees: readonly BytePath[]): readonly BytePath[] {
  const all = new Set(subtrees);
  return all.has('') ? [''] : [...all].filter((path) => !isBeneathOne(path, all));
}
