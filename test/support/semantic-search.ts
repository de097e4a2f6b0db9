import { rmSync } from 'node:fs';
import type { Embedder } from '../../src/core/ports/embedder.ts';
import type { MessageEngine } from '../../src/core/ports/message-engine.ts';
import type { Reranker } from '../../src/core/ports/reranker.ts';
import { createFts5Engine } from '../../src/messages/engines/fts5/engine.ts';
import { createVectorSearcher } from '../../src/messages/engines/vectors/engine.ts';
import { createVectorMaker } from '../../src/messages/engines/vectors/maker.ts';
import { createHashEmbedder } from '../../src/messages/search/embed/hash.ts';
import { vectorEngines } from '../../src/messages/serving/vector-engines.ts';
import { createMessagesReader } from '../../src/messages/store/reader.ts';
import { searchOver } from './search-service.ts';

interface SemanticWishes {
  readonly embedder?: Embedder;
  readonly reranker?: Reranker;
  readonly rerankBudgetMs?: number;
  /** Asked for words before FTS5 is. */
  readonly tantivy?: MessageEngine;
}

let made = 0;

/** Message search with vectors of the hash embedder, which are brought up to date before each search. */
export function semanticSearchOver(
  file: string,
  { embedder = createHashEmbedder(), reranker, rerankBudgetMs = 60_000, tantivy }: SemanticWishes = {},
): ReturnType<typeof searchOver> & { makeVectors: () => Promise<void> } {
  made += 1;
  const directory = `${file}.vectors-${made}`;
  const reader = createMessagesReader(file);
  const maker = createVectorMaker(directory, embedder, reader.database);
  const searcher = createVectorSearcher(directory, embedder);
  const lexical = [...(tantivy ? [tantivy] : []), createFts5Engine(reader.database)];
  const engines = vectorEngines({ embedder, searcher, database: reader.database, lexical, reranker, rerankBudgetMs });
  const service = searchOver(file, { engines: { ...engines, ...(tantivy && { tantivy }) } });
  const makeVectors = async (): Promise<void> => {
    for (let step = await maker.step(100); step.documents > 0 || step.finished; ) step = await maker.step(100);
  };
  return {
    ...service,
    makeVectors,
    async search(query, viewer) {
      await makeVectors();
      return service.search(query, viewer);
    },
    close() {
      service.close();
      searcher.close();
      maker.close();
      reader.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
