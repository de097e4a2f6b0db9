import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInProcessJournal } from '../../../../../src/adapters/sqlite/journal/journal-in-process.ts';
import { journalConformance } from '../../../../conformance/journal.ts';
import type { JournalUnderTest } from '../../../../conformance/journal-fixtures.ts';

// A thread that starts from the sources loads the TypeScript loader first, which costs more than all of these tests.
// The threaded journal runs the same engine; what the way to the thread and back may change is in
// test/integration/journal/lifecycle.test.ts.
journalConformance('SQLite journal', async (): Promise<JournalUnderTest> => {
  const directory = mkdtempSync(path.join(tmpdir(), 'writ-journal-'));
  const journal = createInProcessJournal({ file: path.join(directory, 'journal.db') });
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
      rmSync(directory, { recursive: true, force: true });
    },
  };
});
