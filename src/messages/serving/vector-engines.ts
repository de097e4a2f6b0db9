import type { SqliteDatabase } from '../../adapters/sqlite/open.ts';
import { systemClock } from '../../core/clock.ts';
import type { Embedder } from '../../core/ports/embedder.ts';
import type { EngineSpent, EngineStage, MessageEngine } from '../../core/ports/message-engine.ts';
import type { Reranker } from '../../core/ports/reranker.ts';
import { createStageTimes } from '../../core/stage-times.ts';
import { createScoredEngine } from '../engines/result-set/scored-engine.ts';
import { createSemanticEngine } from '../engines/vectors/engine.ts';
import type { VectorSearcher } from '../engines/vectors/searcher.ts';
import { rerankedSet } from '../search/hybrid/rerank-set.ts';
import { fusedSet } from '../search/hybrid/scores.ts';

/** Milliseconds that a reranker may take for one search. */
const RERANK_BUDGET_MS = 2000;

export interface VectorEngineWishes {
  readonly embedder: Embedder;
  readonly searcher: VectorSearcher;
  readonly database: () => SqliteDatabase;
  /** Engines of words, best first. */
  readonly lexical: readonly MessageEngine[];
  readonly reranker?: Reranker | undefined;
  readonly rerankBudgetMs?: number;
}

/** The engines that need vectors: alone, joined with words, and that order judged by a model. */
export function vectorEngines({ embedder, searcher, database, lexical, reranker, rerankBudgetMs = RERANK_BUDGET_MS }: VectorEngineWishes) {
  const semantic = createSemanticEngine({ embedder, searcher, database });
  const sides = { lexical, semantic };
  const hybrid = createScoredEngine({
    name: 'hybrid',
    tag: 'hybrid',
    mode: 'hybrid',
    database,
    async score(ask) {
      const times = createStageTimes<EngineStage>(systemClock.monotonic);
      const found = await fusedSet(sides, ask, times);
      return found.ok ? answerOf([...found.value.visible, ...found.value.denied], times.spent) : found;
    },
  });
  if (reranker === undefined) return { semantic, hybrid };
  const parts = { reranker, rows: semantic, budgetMs: rerankBudgetMs };
  const hybrid_rerank = createScoredEngine({
    name: 'hybrid_rerank',
    tag: 'hybrid',
    mode: 'hybrid_rerank',
    database,
    async score(ask) {
      const times = createStageTimes<EngineStage>(systemClock.monotonic);
      const found = await fusedSet(sides, ask, times);
      if (!found.ok) return found;
      const visible = await times.during('rerank', () => rerankedSet(parts, ask, found.value.visible));
      return visible.ok ? answerOf([...visible.value, ...found.value.denied], times.spent) : visible;
    },
  });
  return { semantic, hybrid, hybrid_rerank };
}

/** Scores as they are, from 0 to 1. */
function answerOf(rows: readonly { readonly id: number; readonly score: number }[], spent: EngineSpent) {
  return { ok: true, value: { ids: rows.map(({ id }) => id), raws: rows.map(({ score }) => score), scale: { best: 1, worst: 0 }, spent } } as const;
}
