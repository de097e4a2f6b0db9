import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isWritError, WritError } from '../../core/errors.ts';
import type { Lifecycle } from '../../core/lifecycle.ts';
import { part } from '../../core/parts.ts';
import type { ToolJournal } from '../../core/ports/index.ts';
import { createGroupCommit, type Settled } from './journal-group-commit.ts';
import { migrate } from './migrate.ts';
import { openDatabase, type SqliteDatabase } from './open.ts';
import { type ToolStatements, toolStatements } from './tool-journal-statements.ts';

/** Requests per transaction: bounds how long the first of a batch waits for the last. */
const MAX_BATCH = 256;

type Request = (statements: ToolStatements) => unknown;

interface Opened {
  readonly db: SqliteDatabase;
  readonly statements: ToolStatements;
}

/**
 * The tool journal in `<directory>/tool.db` (created 0700). Requests of one turn of the event loop share a transaction
 * and its fsync; several processes may share the file. A refused request does not harm its neighbours: it has written
 * nothing when it throws.
 *
 * Throws WritError STORAGE_UNAVAILABLE from `start` when the file cannot be opened, and from requests that were not kept.
 */
export function createToolJournal({ directory }: { readonly directory: string }): ToolJournal & Lifecycle {
  let opened: Opened | undefined;

  const commits = createGroupCommit<Request>({
    max: MAX_BATCH,
    send(requests) {
      const answers = opened === undefined ? requests.map(() => ({ error: notRunning() })) : together(opened, requests);
      // The batch settles after this turn, because `send` is still on its way out.
      queueMicrotask(() => commits.settle(answers));
    },
  });

  async function ask<T>(request: (statements: ToolStatements) => T): Promise<T> {
    if (opened === undefined) throw notRunning();
    return (await commits.ask(request)) as T;
  }

  const lifecycle = part(
    () => {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      const db = openDatabase(join(directory, 'tool.db'));
      try {
        migrate(db, new URL('./sql/tool-journal/', import.meta.url));
        opened = { db, statements: toolStatements(db) };
      } catch (error) {
        db.close();
        throw error;
      }
    },
    async () => {
      await commits.idle();
      opened?.db.close();
      opened = undefined;
    },
  );

  return {
    ...lifecycle,
    view: (taskId) => ask((journal) => journal.view(taskId)),
    open: (intent, now) => ask((journal) => journal.open(intent, now)),
    withdraw: (taskId, n, now) => ask((journal) => journal.withdraw(taskId, n, now)),
    close: (taskId, n, end, now) => ask((journal) => journal.close(taskId, n, end, now)),
    successes: (after, limit) => ask((journal) => journal.successes(after, limit)),
    counts: () => ask((journal) => journal.counts()),
  };
}

/** One transaction, one fsync. When the storage fails nothing of the batch stands. */
function together({ db, statements }: Opened, requests: readonly Request[]): readonly Settled[] {
  try {
    return db.transaction(() => requests.map((request) => one(request, statements))).immediate();
  } catch (cause) {
    const error = new WritError('STORAGE_UNAVAILABLE', 'the tool journal could not be written', { cause });
    return requests.map(() => ({ error }));
  }
}

function one(request: Request, statements: ToolStatements): Settled {
  try {
    return { answer: request(statements) };
  } catch (error) {
    if (isWritError(error)) return { error };
    throw error;
  }
}

function notRunning(): WritError {
  return new WritError('STORAGE_UNAVAILABLE', 'the tool journal is not running');
}
