import { isUtf8 } from 'node:buffer';
import type { BarrierAnswer, BytePath, OverlayPaths, SearchTree } from '../../../core/ports/index.ts';
import type { Globs } from '../../enumerate/globs.ts';
import { globFilter } from '../../enumerate/globs-path.ts';
import { only } from '../../enumerate/only.ts';
import { isAscii, lossyText } from '../../search/order-key.ts';
import type { Candidate, Enumeration } from '../../search/types.ts';
import { bytePath, compareBytePaths, pathBytes, pathText } from '../segment/path-order.ts';
import { coveredBy } from './covered.ts';

interface IndexedFilesOptions {
  /** Candidates of the snapshot, in key order, beneath the place that is searched. */
  readonly paths: readonly BytePath[];
  /** What may differ from the snapshot: of these the snapshot has no say. */
  readonly overlay: OverlayPaths;
  /** What a walk found there, in key order. */
  readonly walked: readonly Candidate[];
  readonly globs: Globs;
  /** The place that is searched, as a walk gets it: it and what is above it are exempt from the globs. */
  readonly start: Buffer | string;
}

/** The files of a search that uses an index: in the order, and with the globs, of a walk over the whole tree. */
export function indexedFiles({ paths, overlay, walked, globs, start }: IndexedFilesOptions): Enumeration {
  const isCovered = coveredBy(overlay);
  const admitted = globFilter(globs, lossyText(start));
  let [fromIndex, fromWalk] = [0, 0];

  /** The next one in order; where both have a file, the walk is right. */
  function step(): Candidate | undefined {
    let indexed = paths[fromIndex];
    while (indexed !== undefined && isCovered(indexed)) indexed = paths[++fromIndex];
    const live = walked[fromWalk];
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

const bytesOf = ({ text, raw }: Candidate): BytePath => (raw === undefined && isAscii(text) ? text : bytePath(raw ?? text));

/** As a walk would give it. */
function candidateOf(path: BytePath): Candidate {
  if (isAscii(path)) return { text: path, raw: undefined };
  const bytes = pathBytes(path);
  return { text: pathText(path), raw: isUtf8(bytes) ? undefined : bytes };
}

/** What a search may spend on files that have changed since they were indexed: all that it ever does for the index itself. */
export interface OverlayBudget {
  /** `index_maint_budget_fraction`: share of the time limit of the search. */
  readonly fraction: number;
  /** `reconcile_max_ms`. */
  readonly maxMs: number;
  /** `reconcile_max_files`. */
  readonly maxFiles: number;
}

/** What of a search decides how its overlay is walked. */
interface OverlaySearch {
  readonly root: { readonly directory: string };
  readonly query: { readonly timeoutMs: number };
  /** The walk of this search over a part of the tree. */
  readonly walk: (tree: SearchTree) => Enumeration;
}

/** Files between two looks at the clock. */
const WALKED_AT_ONCE = 256;

/**
 * The files among what has changed, seen now. `OVERLAY`: not everything could be seen; `BUDGET`: that would take longer than a
 * search may spend (FR-LSI-BUD-MAINT-01), so it reads all files (FR-LSI-BUD-02.2). The index is no less true for that, and
 * the host works the overlay off: nothing has to be marked.
 */
export function walkOverlay(
  search: OverlaySearch,
  tree: SearchTree,
  { overlay }: Pick<BarrierAnswer, 'overlay'>,
  { fraction, maxMs, maxFiles }: OverlayBudget,
  now: () => number,
): readonly Candidate[] | 'OVERLAY' | 'BUDGET' {
  if (overlay.files.length === 0 && overlay.subtrees.length === 0) return [];
  const until = now() + Math.min(fraction * search.query.timeoutMs, maxMs);
  const walk = search.walk(only(tree, search.root.directory, overlay));
  const walked: Candidate[] = [];
  for (;;) {
    if (now() >= until) return 'BUDGET';
    const piece = walk.next(WALKED_AT_ONCE);
    if (piece.length === 0) break;
    walked.push(...piece);
    if (walked.length > maxFiles) return 'BUDGET';
  }
  return walk.warnings.length === 0 ? walked : 'OVERLAY';
}
