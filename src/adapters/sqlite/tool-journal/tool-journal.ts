import type { Lifecycle } from '../../../core/lifecycle.ts';
import type { ToolJournal } from '../../../core/ports/index.ts';
import { createInProcessStore } from '../in-process-store.ts';
import { toolStatements } from './tool-journal-statements.ts';

/** The tool journal in `<directory>/tool.db`. Throws WritError STORAGE_UNAVAILABLE from `start` when it cannot be opened, and from requests that were not kept. */
export function createToolJournal({ directory }: { readonly directory: string }): ToolJournal & Lifecycle {
  const migrations = new URL('../sql/tool-journal/', import.meta.url);
  const { ask, ...lifecycle } = createInProcessStore({ directory, file: 'tool.db', migrations, statements: toolStatements, name: 'the tool journal' });
  return {
    ...lifecycle,
    view: (taskId) => ask((journal) => journal.view(taskId)),
    open: (intent, now) => ask((journal) => journal.open(intent, now)),
    withdraw: (taskId, n, now) => ask((journal) => journal.withdraw(taskId, n, now)),
    close: (taskId, n, end, now) => ask((journal) => journal.close(taskId, n, end, now)),
    successes: (after, limit) => ask((journal) => journal.successes(after, limit)),
    counts: () => ask((journal) => journal.counts()),
    trim: (after, before, limit) => ask((journal) => journal.trim(after, before, limit)),
  };
}
