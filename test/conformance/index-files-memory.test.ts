import { memoryIndexFiles } from '../../src/content-search/ngram-index/storage/files-memory.ts';
import { indexFilesConformance } from './index-files.ts';

indexFilesConformance('index files in memory', async () => ({ files: memoryIndexFiles(), async [Symbol.asyncDispose]() {} }));
