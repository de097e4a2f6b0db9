import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTaskIndex, type SqliteTaskIndex } from '../../src/adapters/sqlite/task-index/task-index.ts';

export interface TemporaryIndex extends AsyncDisposable {
  readonly index: SqliteTaskIndex;
  readonly file: string;
}

/** A running task index in a directory of its own. */
export async function temporaryIndex({ maxTasks = 1_000_000, maxEvents = 100_000 } = {}): Promise<TemporaryIndex> {
  const directory = mkdtempSync(join(tmpdir(), 'writ-index-'));
  const file = join(directory, 'task-index.db');
  const index = createTaskIndex({ file, maxTasks, maxEvents });
  await index.start();
  return {
    index,
    file,
    async [Symbol.asyncDispose]() {
      await index.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
