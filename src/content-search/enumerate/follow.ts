import type { TreeTarget } from '../../core/ports/index.ts';
import { isBeneath } from '../search/beneath.ts';
import { isDenied, isReserved, namesOf } from './denied.ts';
import { type Directory, pathOf } from './directory.ts';
import { GIT_DIRECTORY } from './directory-rules.ts';
import type { Walk } from './walk-context.ts';

/**
 * What a link stands for: what it leads to, if that lies in an allowed root and a search may see it there; undefined
 * otherwise, and for a directory that would be its own ancestor.
 */
export function followed(walk: Walk, directory: Directory, name: Buffer | string): 'file' | 'directory' | undefined {
  const target = walk.tree.resolve(pathOf(walk.orderRoot, directory, name));
  if ('refused' in target || target.kind === 'other' || !mayLeadTo(walk, target)) return undefined;
  return target.kind === 'directory' && isAncestor(walk, target, directory) ? undefined : target.kind;
}

/** Whether a directory found beneath a followed link is one that the walk is in already. */
export function isOwnAncestor(walk: Walk, directory: Directory, name: Buffer | string): boolean {
  const target = walk.tree.resolve(pathOf(walk.orderRoot, directory, name));
  return !('refused' in target) && isAncestor(walk, target, directory);
}

function mayLeadTo(walk: Walk, target: TreeTarget): boolean {
  const root = walk.allowedRoots.find((each) => isBeneath(target.realPath, Buffer.from(each)));
  if (root === undefined) return false;
  const path = target.realPath.toString('utf8');
  const names = namesOf(path.slice(root.length));
  return !names.some((name) => isReserved(name) || name === GIT_DIRECTORY) && !isDenied(walk.denied, path, target.kind === 'directory');
}

function isAncestor(walk: Walk, target: TreeTarget, from: Directory): boolean {
  for (let directory: Directory | undefined = from; directory !== undefined; directory = directory.parent) {
    const known = targetOf(walk, directory);
    if (known?.ino === target.ino && known.dev === target.dev) return true;
  }
  return false;
}

/** Directories that were looked up; most walks meet no link and look none up. */
const TARGETS = new WeakMap<Directory, TreeTarget>();

function targetOf(walk: Walk, directory: Directory): TreeTarget | undefined {
  const known = TARGETS.get(directory);
  if (known !== undefined) return known;
  const target = walk.tree.resolve(pathOf(walk.orderRoot, directory, ''));
  if ('refused' in target) return undefined;
  TARGETS.set(directory, target);
  return target;
}
