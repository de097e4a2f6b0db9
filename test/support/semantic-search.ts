import { rmSync } from 'node:fs';
import { createMessagesReader } from '../../src/adapters/messages/reader.ts';
import { createSemanticEngine } from '../../src/adapters/messages/vectors/engine.ts';
import { createVectorMaker } from '../../src/adapters/messages/vectors/maker.ts';
import { createVectorSearcher } from '../../src/adapters/messages/vectors/searcher.ts';
import { createHashEmbedder } from '../../src/message-search/embed/hash.ts';
import { searchOver } from './search-service.ts';

let made = 0;

/** Message search with vectors of the hash embedder, which are brought up to date before each search. */
export function semanticSearchOver(file: string): ReturnType<typeof searchOver> & { makeVectors: () => Promise<void> } {
  made += 1;
  const directory = `${file}.vectors-${made}`;
  const reader = createMessagesReader(file);
  const embedder = createHashEmbedder();
  const maker = createVectorMaker(directory, embedder, reader.database);
  const searcher = createVectorSearcher(directory, embedder);
  const semantic = createSemanticEngine({ embedder, searcher, database: reader.database });
  const service = searchOver(file, { engines: { semantic } });
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
