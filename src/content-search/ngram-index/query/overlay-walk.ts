import type { BarrierAnswer, SearchTree } from '../../../core/ports/index.ts';
import { only } from '../../enumerate/only.ts';
import type { IndexAsk } from '../../search/index-port.ts';
import type { Candidate } from '../../search/types.ts';

/** What a search may spend on files that have changed since they were indexed: all that it ever does for the index itself. */
export interface OverlayBudget {
  /** `index_maint_budget_fraction`: share of the time limit of the search. */
  readonly fraction: number;
  /** `reconcile_max_ms`. */
  readonly maxMs: number;
  /** `reconcile_max_files`. */
  readonly maxFiles: number;
}

/** What is asked of a search. */
type OverlayAsk = Pick<IndexAsk, 'walk'> & { readonly root: Pick<IndexAsk['root'], 'directory'>; readonly query: Pick<IndexAsk['query'], 'timeoutMs'> };

/** Files between two looks at the clock. */
const WALKED_AT_ONCE = 256;

/**
 * The files among what has changed, seen now. `OVERLAY`: not everything could be seen; `BUDGET`: that would take longer than a
 * search may spend (FR-LSI-BUD-MAINT-01), so it reads all files (FR-LSI-BUD-02.2). The index is no less true for that, and
 * the host works the overlay off: nothing has to be marked.
 */
export function walkOverlay(
  ask: OverlayAsk,
  tree: SearchTree,
  { overlay }: Pick<BarrierAnswer, 'overlay'>,
  { fraction, maxMs, maxFiles }: OverlayBudget,
  now: () => number,
): readonly Candidate[] | 'OVERLAY' | 'BUDGET' {
  if (overlay.files.length === 0 && overlay.subtrees.length === 0) return [];
  const until = now() + Math.min(fraction * ask.query.timeoutMs, maxMs);
  const walk = ask.walk(only(tree, ask.root.directory, overlay));
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
