import { describe, expect, it } from 'vitest';
import { walkOverlay } from '../../../../../src/content-search/ngram-index/query/indexed-files.ts';
import type { Candidate, Warning } from '../../../../../src/content-search/search/types.ts';
import type { SearchTree } from '../../../../../src/core/ports/index.ts';

/** Nothing is listed: what a walk gives is told by the test. */
const TREE: SearchTree = { list: () => [], readSmall: () => ({ refused: 'ENOENT' }), resolve: () => ({ refused: 'ENOENT' }) };
const BUDGET = { fraction: 0.25, maxMs: 60_000, maxFiles: 1_000 };

interface Walk {
  readonly files: number;
  /** Of the clock, for each piece. */
  readonly msPerPiece?: number;
  readonly warnings?: readonly Warning[];
}

function walk({ files, msPerPiece = 0, warnings = [] }: Walk, budget = BUDGET, timeoutMs = 1_000, overlay = { files: ['a'], subtrees: [] as string[] }) {
  let [now, left] = [0, files];
  let pieces = 0;
  const ask = {
    root: { directory: '/srv' },
    query: { timeoutMs },
    walk: () => ({
      warnings,
      next(limit: number): readonly Candidate[] {
        now += msPerPiece;
        pieces += 1;
        const piece = Math.min(limit, left);
        left -= piece;
        return Array.from({ length: piece }, (_, at) => ({ text: `f${left + at}`, raw: undefined }));
      },
    }),
  };
  const answer = walkOverlay(ask, TREE, { overlay }, budget, () => now);
  return { answer: typeof answer === 'string' ? answer : answer.length, now, pieces };
}

describe('changes that a search looks at itself', () => {
  it('are all seen when there is time', () => {
    expect(walk({ files: 700 })).toMatchObject({ answer: 700 });
  });

  it('cost nothing when there are none', () => {
    expect(walk({ files: 5, msPerPiece: 1_000 }, BUDGET, 1_000, { files: [], subtrees: [] })).toEqual({ answer: 0, now: 0, pieces: 0 });
  });

  it('may take the share of the time limit that the settings say, and then the search goes without the index [FR-LSI-BUD-MAINT-01, FR-LSI-BUD-02.2] [FR-LSI-BUD-MAINT-02] [FR-LSI-BUD-03] [NFR-LSI-PERF-03]', () => {
    expect(walk({ files: 900, msPerPiece: 40 })).toMatchObject({ answer: 900, now: 200 });
    expect(walk({ files: 900, msPerPiece: 100 })).toMatchObject({ answer: 'BUDGET', now: 300 });
    expect(walk({ files: 900, msPerPiece: 100 }, BUDGET, 4_000)).toMatchObject({ answer: 900 });
    expect(walk({ files: 1 }, { ...BUDGET, fraction: 0 })).toMatchObject({ answer: 'BUDGET', pieces: 0 });
  });

  it('may take no longer than reconcile_max_ms and be no more than reconcile_max_files [LSI-CFG-10] [FR-LSI-BUD-MAINT-03] [FR-LSI-BUD-02.1] [FR-LSI-BUD-02.4]', () => {
    expect(walk({ files: 900, msPerPiece: 100 }, { ...BUDGET, maxMs: 150 }, 4_000)).toMatchObject({ answer: 'BUDGET', now: 200 });
    expect(walk({ files: 1_000 })).toMatchObject({ answer: 1_000 });
    expect(walk({ files: 1_001 })).toMatchObject({ answer: 'BUDGET' });
  });

  it('must all be readable', () => {
    expect(walk({ files: 1, warnings: [{ before: 0, line: 'd: EACCES' }] })).toMatchObject({ answer: 'OVERLAY' });
  });
});
