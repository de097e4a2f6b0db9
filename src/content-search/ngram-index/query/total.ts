import type { BytePath, OverlayPaths } from '../../../core/ports/index.ts';
import type { Globs } from '../../enumerate/globs.ts';
import { globFilter } from '../../enumerate/globs-path.ts';
import { compareBytePaths, pathText } from '../segment/path-order.ts';
import { coveredBy, outermost } from './covered.ts';
import { type Guarded, guarded } from './refusal.ts';
import { isAt, rangeOf, type SearchScope } from './scope.ts';
import { isLive, type Snapshot } from './snapshot.ts';

/**
 * How many files a search without an index would look into: those of the snapshot that are in scope, that the overlay says
 * nothing about and the globs let in, and those that a walk found in the overlay.
 *
 * @param walked number of the latter
 */
export function totalOf(snapshot: Snapshot, scope: SearchScope, overlay: OverlayPaths, globs: Globs, walked: number): Guarded<number> {
  return guarded(() => walked + (globs.none ? withoutGlobs(snapshot, scope, overlay) : withGlobs(snapshot, scope, overlay, globs)));
}

/** Counted without a look at most paths: all that are there, less those that the overlay speaks of. */
function withoutGlobs(snapshot: Snapshot, scope: SearchScope, { files, subtrees }: OverlayPaths): number {
  const outer = outermost(subtrees);
  if (outer.some((path) => isAt({ path, kind: 'directory' })(scope.path) || path === scope.path)) return 0;
  const within = isAt(scope);
  const inner = outer.filter(within);
  const isInner = coveredBy({ files: [], subtrees: inner });
  // A subtree can have been a file.
  const single = new Set([...files.filter((path) => within(path) && !isInner(path)), ...inner]);
  const beneath = inner.reduce((sum, path) => sum + countAt(snapshot, { path, kind: 'directory' }), 0);
  return countAt(snapshot, scope) - beneath - countFiles(snapshot, [...single].sort(compareBytePaths));
}

function countAt(snapshot: Snapshot, scope: SearchScope): number {
  return scope.path === '' && scope.kind === 'directory' ? snapshot.live : [...pathsAt(snapshot, scope)].length;
}

function countFiles({ segments }: Snapshot, paths: readonly BytePath[]): number {
  return segments.reduce((sum, segment) => sum + segment.reader.find(paths).filter((id) => id >= 0 && isLive(segment, id)).length, 0);
}

function withGlobs(snapshot: Snapshot, scope: SearchScope, overlay: OverlayPaths, globs: Globs): number {
  const admitted = globFilter(globs, pathText(scope.path));
  const isCovered = coveredBy(overlay);
  let count = 0;
  for (const path of pathsAt(snapshot, scope)) if (!isCovered(path) && admitted(pathText(path))) count += 1;
  return count;
}

/** Live documents in scope, segment after segment. */
function* pathsAt({ segments }: Snapshot, scope: SearchScope): Generator<BytePath> {
  const within = isAt(scope);
  for (const segment of segments) {
    const { first, end } = rangeOf(segment.reader, scope);
    const ids = new Uint32Array(Math.max(0, end - first));
    let count = 0;
    for (let id = first; id < end; id += 1) if (isLive(segment, id)) ids[count++] = id;
    for (const path of segment.reader.paths(ids.subarray(0, count))) if (within(path)) yield path;
  }
}
