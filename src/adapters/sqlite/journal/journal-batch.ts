import { messageOf, WritError } from '../../../core/errors.ts';
import { Sqlite } from '../driver.ts';
import type { SqliteDatabase } from '../open.ts';
import {
  type JournalAnswers,
  type JournalOperation,
  type JournalOperations,
  type JournalReply,
  type JournalRequest,
  type RequestOf,
  WRITES,
} from './journal-requests.ts';

/** SQLite's own code, where an error is SQLite's. */
function sqliteCode(error: unknown): string | undefined {
  return error instanceof Sqlite.SqliteError ? error.code : undefined;
}

/** Storage failures end the whole transaction; a violated constraint is the fault of one request alone. */
function endsTransaction(error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== undefined && !code.startsWith('SQLITE_CONSTRAINT');
}

/**
 * Runs requests in their order as one transaction, hence one fsync, and answers all of them after the COMMIT. A request
 * that is refused leaves nothing and does not harm its neighbours: then the batch is taken back and run once more with a
 * savepoint around each write. Refusals are bugs of a caller, so the savepoints, a third of the work, are rarely paid for.
 *
 * When the storage fails (disk full, I/O error, locked for 5 s) nothing of the batch stands: writes are answered
 * STORAGE_UNAVAILABLE, reads are asked again without them.
 */
export function batchRunner(db: SqliteDatabase, operations: JournalOperations): (requests: readonly JournalRequest[]) => readonly JournalReply[] {
  const transaction = {
    read: db.prepare('BEGIN'),
    write: db.prepare('BEGIN IMMEDIATE'),
    commit: db.prepare('COMMIT'),
    rollback: db.prepare('ROLLBACK'),
  };
  const savepoint = { set: db.prepare('SAVEPOINT request'), undo: db.prepare('ROLLBACK TO request'), release: db.prepare('RELEASE request') };

  return function run(requests) {
    try {
      return together(requests, plainly);
    } catch (error) {
      if (endsTransaction(error)) return withoutWrites(requests, refusal(error));
    }
    try {
      return together(requests, guarded);
    } catch (error) {
      return withoutWrites(requests, refusal(error));
    }
  };

  function together(requests: readonly JournalRequest[], one: (request: JournalRequest) => JournalReply): readonly JournalReply[] {
    try {
      const writes = requests.some(({ op }) => WRITES[op]);
      (writes ? transaction.write : transaction.read).run();
      const replies = requests.map(one);
      transaction.commit.run();
      return replies;
    } catch (error) {
      // SQLite may have rolled back by itself.
      if (db.inTransaction) transaction.rollback.run();
      throw error;
    }
  }

  function plainly(request: JournalRequest): JournalReply {
    return { ok: true, answer: call(operations, request) };
  }

  function guarded(request: JournalRequest): JournalReply {
    const writes = WRITES[request.op];
    if (writes) savepoint.set.run();
    try {
      const answer = call(operations, request);
      if (writes) savepoint.release.run();
      return { ok: true, answer };
    } catch (error) {
      if (endsTransaction(error) || !db.inTransaction) throw error;
      if (writes) {
        savepoint.undo.run();
        savepoint.release.run();
      }
      return refusal(error);
    }
  }

  function withoutWrites(requests: readonly JournalRequest[], refused: JournalReply): readonly JournalReply[] {
    return requests.map((request) => {
      if (WRITES[request.op]) return refused;
      try {
        return { ok: true, answer: call(operations, request) };
      } catch (error) {
        return refusal(error);
      }
    });
  }
}

function call<K extends JournalOperation>(operations: JournalOperations, request: RequestOf<K>): JournalAnswers[K] {
  return operations[request.op](...request.args);
}

function refusal(error: unknown): JournalReply {
  if (error instanceof WritError) return { ok: false, code: error.code, message: error.message };
  if (endsTransaction(error))
    return { ok: false, code: 'STORAGE_UNAVAILABLE', message: `the journal cannot be used: ${messageOf(error)} (${sqliteCode(error)})` };
  return { ok: false, code: 'INTERNAL', message: `the journal refused a request: ${messageOf(error)}` };
}
