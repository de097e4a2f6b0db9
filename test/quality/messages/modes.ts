import type { SearchMode } from '../../../src/contracts/index.ts';
import { loadTantivy } from '../../../src/messages/engines/tantivy/binding.ts';
import { openEmbedder, openReranker } from '../../../src/messages/serving/models.ts';
import { createMessagesReader } from '../../../src/messages/store/reader.ts';
import { searchOver } from '../../support/search-service.ts';
import { semanticSearchOver } from '../../support/semantic-search.ts';
import { tantivyOver } from '../../support/tantivy.ts';
import { NDCG_AT, ndcgAt, recallAt, type Scores, scoresOf } from '../metrics.ts';
import { gradesOf, judgedQueries } from './corpus.ts';
import { judgedSearch } from './judged-search.ts';

/** What is held against each other. */
export type MeasuredMode = 'fts5' | 'tantivy' | 'semantic' | 'hybrid' | 'hybrid_rerank';

/** As deep as any gate looks. */
const DEPTH = 50;

export interface ModeScores {
  /** For each judged query, in their order. */
  readonly scores: readonly (Scores & { readonly ndcgDeep: number; readonly recallTop: number })[];
  /** Ids of each query, best first. */
  readonly ids: readonly (readonly number[])[];
}

export interface Models {
  /** Directory of a sentence-embedding model; empty: hashed words. */
  readonly model: string;
  /** Directory of a cross-encoder; empty: none. */
  readonly reranker: string;
}

/**
 * Every mode on the corpus, each from the engine that it is named after: a mode that another engine would have to stand in
 * for is not there.
 *
 * @param file database of the corpus
 * @throws Error when a model cannot be used
 */
export async function measureModes(file: string, models: Models): Promise<Partial<Record<MeasuredMode, ModeScores>>> {
  const reader = createMessagesReader(file);
  const queryOf = judgedSearch(reader.database());
  const loaded = loadTantivy();
  const tantivy = loaded.ok ? tantivyOver(loaded.tantivy, file) : undefined;
  tantivy?.indexer.follow();
  const [embedder, reranker] = [await openEmbedder(models), await openReranker(models)];
  const bare = searchOver(file);
  const whole = semanticSearchOver(file, { embedder, ...(reranker && { reranker }), ...(tantivy && { tantivy: tantivy.engine }) });

  async function measured(service: typeof bare, mode: SearchMode, engine: MeasuredMode): Promise<ModeScores | undefined> {
    const ids: number[][] = [];
    for (const judged of judgedQueries()) {
      const { results, explain } = await service.search({ ...queryOf(judged), mode, limit: DEPTH }, null);
      // Without words, or with words that no index can read, the tables answer in every mode.
      if (!['like_fallback', 'filter_only', 'empty'].includes(explain?.method ?? '') && explain?.engine !== engine) return undefined;
      ids.push(results.map(({ id }) => id));
    }
    const scores = judgedQueries().map((judged, at) => {
      const grades = gradesOf(judged);
      const ranked = ids[at] ?? [];
      return { ...scoresOf(ranked, grades), ndcgDeep: ndcgAt(ranked, grades, DEPTH), recallTop: recallAt(ranked, grades, NDCG_AT) };
    });
    return { scores, ids };
  }

  const found = {
    fts5: await measured(bare, 'lexical', 'fts5'),
    tantivy: tantivy && (await measured(whole, 'lexical', 'tantivy')),
    semantic: await measured(whole, 'semantic', 'semantic'),
    hybrid: await measured(whole, 'hybrid', 'hybrid'),
    hybrid_rerank: reranker && (await measured(whole, 'hybrid_rerank', 'hybrid_rerank')),
  };
  for (const part of [bare, whole, tantivy, reader]) part?.close();
  return Object.fromEntries(Object.entries(found).filter(([, one]) => one !== undefined));
}
