import { hostname } from 'node:os';
import { workerData } from 'node:worker_threads';
import { openPostgresql } from '../../../adapters/postgresql/open.ts';
import { threadSide } from '../../../adapters/threads/serve.ts';
import { messageOf } from '../../../core/errors.ts';
import type { MessageIndexEvent } from '../../../core/ports/index.ts';
import { failed, ok, type Result } from '../../../core/result.ts';
import { createMessagesReader } from '../../store/reader.ts';
import type { IndexKeeperCalls } from '../index-keeper.ts';
import type { MirrorThreadData } from './keeper.ts';
import { createPostgresqlMirror, type PostgresqlMirror } from './mirror.ts';
import { SCHEMA } from './schema.ts';

/** A step of 500 long messages takes seconds on a slow server. */
const STATEMENT_MS = 60_000;

/** The words of a batch take tens of milliseconds, and a copy of all messages minutes: no event loop of a server may wait for that. */
const { file, target } = workerData as MirrorThreadData;
const { tell, serve } = threadSide<IndexKeeperCalls, MessageIndexEvent>();
const reader = createMessagesReader(file);
const postgresql = openPostgresql(target, { schema: SCHEMA, statementMs: STATEMENT_MS, most: 1, awayMs: 0 });
let mirror: PostgresqlMirror | undefined;

/** Failures are told, and do not end the thread. */
async function tried(call: keyof IndexKeeperCalls): Promise<Result<undefined, string>> {
  try {
    mirror ??= createPostgresqlMirror({ postgresql, db: reader.database(), emit: tell, writer: hostname() });
    await mirror[call]();
    return ok(undefined);
  } catch (error) {
    return failed(messageOf(error));
  }
}

serve(() => ({
  calls: { follow: () => tried('follow'), rebuild: () => tried('rebuild') },
  async close() {
    await postgresql.close();
    reader.close();
  },
}));
