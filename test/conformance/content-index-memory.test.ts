import { createMemoryContentIndex } from '../../src/adapters/content-index/memory-store.ts';
import { contentIndexConformance } from './content-index.ts';

contentIndexConformance('index records in memory', async () => ({ store: createMemoryContentIndex(), async [Symbol.asyncDispose]() {} }));
