import type { TreeEnd } from '../../../core/ports/tree-source.ts';
import { errnoName } from '../libc.ts';
import { pathOf, ROOT, type TreePath } from './tree-path.ts';

export const DONE: TreeEnd = { ok: true };

type Meaning = 'not there' | 'exhausted';

/** What an errno below the root means for the walk; every other one is a failure. */
const MEANING: Readonly<Record<string, Meaning>> = {
  // Removed or replaced since its name was read. A symbolic link is answered with either of the next two.
  ENOENT: 'not there',
  ENOTDIR: 'not there',
  ELOOP: 'not there',
  // A mount point: what is there is not a part of this file system.
  EXDEV: 'not there',
  EMFILE: 'exhausted',
  ENFILE: 'exhausted',
  ENOMEM: 'exhausted',
};

/** The end of a walk that a call below the root, answered with `-errno`, means; `DONE` when the walk goes on. */
export function endOf(result: number, at: TreePath): TreeEnd {
  const errno = errnoName(result);
  const path = at === ROOT ? '.' : pathOf(at).slice(0, -1);
  const meaning = MEANING[errno];
  if (meaning === 'exhausted') return { ok: false, refusal: 'exhausted', path, errno };
  if (meaning === undefined) return { ok: false, refusal: 'failed', path, errno };
  // The root is the one directory that must not vanish.
  return at === ROOT ? unavailable(result) : DONE;
}

/** The end of a walk whose root cannot be opened. */
export function unavailable(result: number): TreeEnd {
  return { ok: false, refusal: 'unavailable', path: '.', errno: errnoName(result) };
}
