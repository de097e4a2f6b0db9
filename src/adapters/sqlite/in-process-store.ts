import { join } from 'node:path';
import { isWritError, WritError } from '../../core/errors.ts';
import { type Lifecycle, lifecycle } from '../../core/lifecycle.ts';
import { createGroupCommit, type Settled } from './journal/journal-group-commit.ts';
import type { SqliteDatabase } from './open.ts';
import { openPrepared } from './open-migrated.ts';

/** Requests per transaction: bounds how long the first of a batch waits for the last. */
const MAX_BATCH = 256;

export interface StoreOptions<Statements> {
  /** Created 0700. */
  readonly directory: string;
  /** Name of the file in it. */
  readonly file: string;
  /** Directory of the migrations. */
  readonly migrations: URL;
  /** What is asked of an open database; each statement blocks its thread, and a transaction is around it. */
  readonly statements: (db: SqliteDatabase) => Statements;
  /** For messages: `the tool journal`. */
  readonly name: string;
}

export interface Store<Statements> extends Lifecycle {
  /** What resolves is on disk. Throws what the request throws as WritError, and WritError STORAGE_UNAVAILABLE. */
  ask<T>(request: (statements: Statements) => T): Promise<T>;
  /** Reads what is on disk now: at once, in no transaction, and without a look at requests that wait for theirs. Throws WritError STORAGE_UNAVAILABLE. */
  look<T>(request: (statements: Statements) => T): Promise<T>;
}

interface Opened<Statements> {
  readonly db: SqliteDatabase;
  readonly statements: Statements;
  /** Carries out these in one transaction. */
  readonly commit: (requests: readonly ((open: Statements) => unknown)[]) => readonly Settled[];
}

/**
 * A SQLite file on the event loop of its process, for records whose loss of time costs nothing but locks: requests of one
 * turn share a transaction and its fsync, and several processes may share the file. A refused request does not harm its
 * neighbours: it has written nothing when it throws.
 *
 * @throws WritError STORAGE_UNAVAILABLE from `start` when the file cannot be opened
 */
export function createInProcessStore<Statements>({ directory, file, migrations, statements, name }: StoreOptions<Statements>): Store<Statements> {
  type Request = (open: Statements) => unknown;
  let opened: Opened<Statements> | undefined;
  const notRunning = (): WritError => new WritError('STORAGE_UNAVAILABLE', `${name} is not running`);

  const commits = createGroupCommit<Request>({
    max: MAX_BATCH,
    send(requests) {
      const answers = opened === undefined ? requests.map(() => ({ error: notRunning() })) : together(opened, requests);
      // The batch settles after this turn, because `send` is still on its way out.
      queueMicrotask(() => commits.settle(answers));
    },
  });

  /** One transaction, one fsync. When the storage fails nothing of the batch stands. */
  function together({ commit }: Opened<Statements>, requests: readonly Request[]): readonly Settled[] {
    try {
      return commit(requests);
    } catch (cause) {
      const error = new WritError('STORAGE_UNAVAILABLE', `${name} could not be written`, { cause });
      return requests.map(() => ({ error }));
    }
  }

  const life = lifecycle(
    () => {
      opened = openPrepared(join(directory, file), migrations, (db) => openedStore(db, statements(db)), { name, makeDirectory: true });
    },
    async () => {
      await commits.idle();
      opened?.db.close();
      opened = undefined;
    },
  );

  return {
    ...life,
    async ask<T>(request: (open: Statements) => T): Promise<T> {
      if (opened === undefined) throw notRunning();
      return (await commits.ask(request)) as T;
    },
    async look<T>(request: (open: Statements) => T): Promise<T> {
      if (opened === undefined) throw notRunning();
      try {
        return request(opened.statements);
      } catch (cause) {
        throw new WritError('STORAGE_UNAVAILABLE', `${name} could not be read`, { cause });
      }
    },
  };
}

function openedStore<Statements>(db: SqliteDatabase, statements: Statements): Opened<Statements> {
  // Made once: the database library makes eight functions for each.
  const commit = db.transaction((requests: Parameters<Opened<Statements>['commit']>[0]) => requests.map((request) => one(() => request(statements))));
  return { db, statements, commit: commit.immediate };
}

function one(request: () => unknown): Settled {
  try {
    return { answer: request() };
  } catch (error) {
    if (isWritError(error)) return { error };
    throw error;
  }
}
