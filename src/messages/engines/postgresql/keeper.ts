import type { PostgresqlTarget } from '../../../adapters/postgresql/open.ts';
import { startThread } from '../../../adapters/threads/thread-entry.ts';
import { createIndexKeeper, type IndexKeeper, type IndexListener } from '../index-keeper.ts';

/** What the thread is started with. */
export interface MirrorThreadData {
  /** The database of messages. */
  readonly file: string;
  readonly target: PostgresqlTarget;
}

/** Keeps the copy of the messages in PostgreSQL. */
export function createPostgresqlKeeper({ onEvent, onFailed, ...data }: MirrorThreadData & IndexListener): IndexKeeper {
  const launch = () => startThread(import.meta.url, './mirror-thread', { workerData: data satisfies MirrorThreadData, name: 'message-mirror' });
  return createIndexKeeper({ launch, onEvent, onFailed });
}
