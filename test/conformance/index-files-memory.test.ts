import { memoryIndexFiles } from '../../src/adapters/content-index/files-memory.ts';
import { indexFilesConformance } from './index-files.ts';

indexFilesConformance('index files in memory', async () => ({ files: memoryIndexFiles(), async [Symbol.asyncDispose]() {} }));
