import { createMemoryContentIndex } from '../../src/content-search/ngram-index/storage/memory-store.ts';
import { contentIndexConformance } from './content-index.ts';

contentIndexConformance('index records in memory', async () => ({ store: createMemoryContentIndex(), async [Symbol.asyncDispose]() {} }));
