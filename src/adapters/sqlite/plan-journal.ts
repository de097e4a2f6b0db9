import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { WritError } from '../../core/errors.ts';
import type { Lifecycle } from '../../core/lifecycle.ts';
import { part } from '../../core/parts.ts';
import type { PlanJournal } from '../../core/ports/index.ts';
import { createGroupCommit } from './journal-group-commit.ts';
import { migrate } from './migrate.ts';
import { openDatabase, type SqliteDatabase } from './open.ts';
import { type PlanStatements, planStatements } from './plan-journal-statements.ts';

/** Requests per transaction: bounds how long the first of a batch waits for the last. */
const MAX_BATCH = 256;

type Request = (statements: PlanStatements) => unknown;

/**
 * The plan journal in `<directory>/plan.db` (created 0700). Requests of one turn of the event loop share a transaction
 * and its fsync; several processes may share the file. A stalled disk holds up this event loop, which costs at most the
 * locks of plans that run: they run again, and everything that a plan does may be repeated.
 *
 * Throws WritError STORAGE_UNAVAILABLE from `start` when the file cannot be opened, and from requests that were not kept.
 */
export function createPlanJournal({ directory }: { readonly directory: string }): PlanJournal & Lifecycle {
  let db: SqliteDatabase | undefined;
  let statements: PlanStatements | undefined;

  const commits = createGroupCommit<Request>({
    max: MAX_BATCH,
    send(requests) {
      try {
        const open = statements;
        if (db === undefined || open === undefined) throw notRunning();
        const answers = db.transaction(() => requests.map((request) => ({ answer: request(open) }))).immediate();
        // The batch settles after this turn, because `send` is still on its way out.
        queueMicrotask(() => commits.settle(answers));
      } catch (cause) {
        const error = cause instanceof WritError ? cause : new WritError('STORAGE_UNAVAILABLE', 'the plan journal could not be written', { cause });
        queueMicrotask(() => commits.settle(requests.map(() => ({ error }))));
      }
    },
  });

  async function ask<T>(request: (statements: PlanStatements) => T): Promise<T> {
    if (statements === undefined) throw notRunning();
    return (await commits.ask(request)) as T;
  }

  const lifecycle = part(
    () => {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      const opened = openDatabase(join(directory, 'plan.db'));
      try {
        migrate(opened, new URL('./sql/plan-journal/', import.meta.url));
        statements = planStatements(opened);
        db = opened;
      } catch (error) {
        opened.close();
        throw error;
      }
    },
    async () => {
      await commits.idle();
      statements = undefined;
      db?.close();
      db = undefined;
    },
  );

  return {
    ...lifecycle,
    begin: (plan, now) => ask(({ begin }) => begin(plan, now)),
    record: (planSha256) => ask(({ record }) => record(planSha256)),
    entries: (planSha256) => ask((plans) => plans.entries(planSha256)),
    append: (planSha256, entry, now) => ask(({ append }) => append(planSha256, entry, now)),
    end: (planSha256, end, now) => ask((plans) => plans.end(planSha256, end, now)),
    settle: (planSha256) => ask(({ settle }) => settle(planSha256)),
    resume: (planSha256, lease, now) => ask(({ resume }) => resume(planSha256, lease, now)),
    lose: (planSha256) => ask(({ lose }) => lose(planSha256)),
    running: (unchangedSince, limit) => ask(({ running }) => running(unchangedSince, limit)),
  };
}

function notRunning(): WritError {
  return new WritError('STORAGE_UNAVAILABLE', 'the plan journal is not running');
}
