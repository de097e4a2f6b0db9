import { describeTantivy, tantivyOver } from '../support/tantivy.ts';
import { messageEngineConformance } from './message-engine.ts';

describeTantivy('Tantivy as an engine of message search', (tantivy) => {
  messageEngineConformance({
    make(file) {
      const { engine, indexer, close } = tantivyOver(tantivy, file);
      return { engine, follow: () => void indexer.follow(), close };
    },
  });
});
