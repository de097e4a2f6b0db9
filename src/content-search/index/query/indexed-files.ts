import { isUtf8 } from 'node:buffer';
import type { BytePath, OverlayPaths } from '../../../core/ports/index.ts';
import { type Globs, globFilter } from '../../enumerate/index.ts';
import { isAscii, lossyText } from '../../order-key.ts';
import type { Candidate, Enumeration } from '../../types.ts';
import { bytePath, compareBytePaths, pathBytes } from '../segment/path-order.ts';

export interface IndexedFilesOptions {
  /** Candidates of the snapshot, in key order, beneath the place that is searched. */
  readonly paths: readonly BytePath[];
  /** What may differ from the snapshot: of these the snapshot has no say. */
  readonly overlay: OverlayPaths;
  /** What a walk found there, in key order. */
  readonly walked: readonly Candidate[];
  readonly globs: Globs;
  /** The place that is searched, as a walk gets it. */
  readonly start: Buffer | string;
}

/** The files of a search that uses an index: in the order, and with the globs, of a walk over the whole tree. */
export function indexedFiles({ paths, overlay, walked, globs, start }: IndexedFilesOptions): Enumeration {
  const isLive = coveredBy(overlay);
  const admitted = globFilter(globs, lossyText(start));
  let [fromIndex, fromWalk] = [0, 0];

  /** The next one in order; where both have a file, the walk is right. */
  function step(): Candidate | undefined {
    while (isLive(paths[fromIndex])) fromIndex += 1;
    const [indexed, live] = [paths[fromIndex], walked[fromWalk]];
    const order = indexed === undefined ? 1 : live === undefined ? -1 : compareBytePaths(indexed, bytesOf(live));
    if (order <= 0) fromIndex += 1;
    if (order >= 0) fromWalk += 1;
    return order < 0 && indexed !== undefined ? candidateOf(indexed) : live;
  }

  return {
    warnings: [],
    next(limit) {
      const piece: Candidate[] = [];
      while (piece.length < limit) {
        const candidate = step();
        if (candidate === undefined) break;
        if (admitted(candidate.text)) piece.push(candidate);
      }
      return piece;
    },
  };
}

/** Whether a path is in the overlay, or beneath one of its subtrees. */
function coveredBy({ files, subtrees }: OverlayPaths): (path: BytePath | undefined) => boolean {
  if (files.length === 0 && subtrees.length === 0) return () => false;
  if (subtrees.includes('')) return (path) => path !== undefined;
  const [single, whole] = [new Set(files), new Set(subtrees)];
  return (path) => {
    if (path === undefined) return false;
    if (single.has(path) || whole.has(path)) return true;
    for (let slash = path.indexOf('/'); whole.size > 0 && slash !== -1; slash = path.indexOf('/', slash + 1)) if (whole.has(path.slice(0, slash))) return true;
    return false;
  };
}

const bytesOf = ({ text, raw }: Candidate): BytePath => (raw === undefined && isAscii(text) ? text : bytePath(raw ?? text));

/** As a walk would give it. */
function candidateOf(path: BytePath): Candidate {
  if (isAscii(path)) return { text: path, raw: undefined };
  const bytes = pathBytes(path);
  return { text: lossyText(bytes), raw: isUtf8(bytes) ? undefined : bytes };
}
