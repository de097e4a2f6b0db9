import type { SqliteDatabase } from '../../adapters/sqlite/open.ts';
import { systemClock } from '../../core/clock.ts';
import { messageOf } from '../../core/errors.ts';
import type { Embedder } from '../../core/ports/embedder.ts';
import type { EngineAnswer, EngineName, EngineSpent, EngineStage, MessageEngine } from '../../core/ports/message-engine.ts';
import type { Reranker } from '../../core/ports/reranker.ts';
import { createStageTimes } from '../../core/stage-times.ts';
import { createScoredEngine } from '../engines/result-set/scored-engine.ts';
import { createSemanticEngine, createVectorSearcher, type VectorSearcher } from '../engines/vectors/engine.ts';
import { fusedSet } from '../search/hybrid/fusion.ts';
import { rerankedSet } from '../search/hybrid/rerank.ts';
import type { Missing } from '../search/planner.ts';
import { openEmbedder, openReranker, type VectorSettings } from './models.ts';

interface VectorSearch {
  readonly engines?: Partial<Readonly<Record<EngineName, MessageEngine>>>;
  readonly absent?: Missing;
}

const OFF = 'messages.vectors is false';

/**
 * The engines that need vectors, or why there are none. Models are loaded by the first search that needs them, and again by
 * the next one when that failed.
 *
 * @param lexical engines of words, best first
 */
export function vectorsOf(settings: VectorSettings | null, database: () => SqliteDatabase, lexical: readonly MessageEngine[]): VectorSearch {
  if (settings === null) return { absent: { semantic: OFF, hybrid: OFF, hybrid_rerank: OFF } };
  const engines = once(async () => {
    const embedder = await openEmbedder(settings);
    return vectorEngines({ embedder, searcher: createVectorSearcher(settings.directory, embedder), database, lexical, reranker });
  });
  const judge = once(() => openReranker(settings));
  // The order by a reranker that is still to be loaded; whoever does not ask for it does not load it.
  const reranker: Reranker | undefined =
    settings.reranker === '' ? undefined : { id: settings.reranker, judge: async (query, texts, signal) => (await judge())?.judge(query, texts, signal) ?? [] };
  const semantic = deferred('semantic', async () => (await engines()).semantic);
  const hybrid = deferred('hybrid', async () => (await engines()).hybrid);
  if (reranker === undefined) return { engines: { semantic, hybrid }, absent: { hybrid_rerank: 'messages.reranker names no model' } };
  return { engines: { semantic, hybrid, hybrid_rerank: deferred('hybrid_rerank', async () => (await engines()).hybrid_rerank) } };
}

/** What was made once; what failed is tried again by the next call. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return async () => {
    made ??= make();
    try {
      return await made;
    } catch (error) {
      made = undefined;
      throw error;
    }
  };
}

/** An engine that is opened by the first question; where that fails, the search goes on without it. */
function deferred(name: 'semantic' | 'hybrid' | 'hybrid_rerank', open: () => Promise<MessageEngine | undefined>): MessageEngine {
  async function asked<T>(ask: (engine: MessageEngine) => EngineAnswer<T> | Promise<EngineAnswer<T>>): Promise<EngineAnswer<T>> {
    let engine: MessageEngine | undefined;
    try {
      engine = await open();
    } catch (error) {
      return { ok: false, error: { kind: 'feature_unavailable', message: messageOf(error) } };
    }
    return engine === undefined ? { ok: false, error: { kind: 'feature_unavailable', message: 'there is no reranker' } } : ask(engine);
  }
  return { name, tag: 'hybrid', mode: name, find: (ask) => asked((engine) => engine.find(ask)), rows: (set) => asked((engine) => engine.rows(set)) };
}

/** Milliseconds that a reranker may take for one search. */
const RERANK_BUDGET_MS = 2000;

export interface VectorSearchParts {
  readonly embedder: Embedder;
  readonly searcher: VectorSearcher;
  readonly database: () => SqliteDatabase;
  /** Engines of words, best first. */
  readonly lexical: readonly MessageEngine[];
  readonly reranker?: Reranker | undefined;
  readonly rerankBudgetMs?: number;
}

/** The engines that need vectors: alone, joined with words, and that order judged by a model. */
export function vectorEngines({ embedder, searcher, database, lexical, reranker, rerankBudgetMs = RERANK_BUDGET_MS }: VectorSearchParts) {
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
      return found.ok ? answerOf([...found.value.visible, ...found.value.denied], times.spent, found.value.byWords) : found;
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
      return visible.ok ? answerOf([...visible.value, ...found.value.denied], times.spent, found.value.byWords) : visible;
    },
  });
  return { semantic, hybrid, hybrid_rerank };
}

/** Scores as they are, from 0 to 1. */
function answerOf(rows: readonly { readonly id: number; readonly score: number }[], spent: EngineSpent, byWords: number) {
  return { ok: true, value: { ids: rows.map(({ id }) => id), raws: rows.map(({ score }) => score), scale: { best: 1, worst: 0 }, spent, byWords } } as const;
}
