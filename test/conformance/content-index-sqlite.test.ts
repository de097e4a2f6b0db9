import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openContentIndexStore } from '../../src/content-search/ngram-index/storage/sqlite-store.ts';
import { contentIndexConformance } from './content-index.ts';

contentIndexConformance('index records in SQLite', async () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'writ-index-records-'));
  const opened = openContentIndexStore({ directory, lockTimeoutMs: 250 });
  if (!opened.ok) throw new Error(opened.message);
  return {
    store: opened.value,
    async [Symbol.asyncDispose]() {
      opened.value.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
});
