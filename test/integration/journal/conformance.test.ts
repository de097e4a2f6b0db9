import path from 'node:path';
import { createFileJournal } from '../../../src/adapters/sqlite/journal.ts';
import { journalConformance } from '../../conformance/journal.ts';
import { temporaryDirectory } from './fixture.ts';

journalConformance('SQLite journal', async () => {
  const directory = temporaryDirectory();
  const journal = createFileJournal({ file: path.join(directory.path, 'journal.db') });
  await journal.start();
  return {
    journal,
    async reopen() {
      await journal.stop();
      await journal.start();
      return journal;
    },
    async [Symbol.asyncDispose]() {
      await journal.stop();
      directory.remove();
    },
  };
});
