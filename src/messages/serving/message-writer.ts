import type { PostgresqlTarget } from '../../adapters/postgresql/open.ts';
import type { Lifecycle } from '../../core/lifecycle.ts';
import type { CommitNews, MessageStore } from '../../core/ports/index.ts';
import type { IndexListener } from '../engines/index-keeper.ts';
import { createPostgresqlKeeper } from '../engines/postgresql/keeper.ts';
import { loadTantivy } from '../engines/tantivy/binding.ts';
import { createTantivyKeeper } from '../engines/tantivy/keeper.ts';
import { createMessageStore, type MessageStoreOptions } from '../store/store.ts';
import { createVectorKeeper, type VectorThreadData } from './vectors.ts';

export interface IndexedStoreOptions extends MessageStoreOptions {
  /** Directory of Tantivy's index; absent: there shall be none. */
  readonly tantivy?: string | undefined;
  /** Where vectors lie and what makes them; absent: there shall be none. */
  readonly vectors?: Omit<VectorThreadData, 'file'> | undefined;
  /** A database of PostgreSQL that gets a copy; absent: there shall be none. */
  readonly postgresql?: PostgresqlTarget | undefined;
  /** Who is told of each index. */
  readonly listener: (engine: 'tantivy' | 'vectors' | 'postgresql') => IndexListener;
}

/** The store of messages, and the indexes beside it that follow what it commits; the indexes are to be started after it, which makes the database. */
export function createIndexedStore(options: IndexedStoreOptions): { readonly store: MessageStore; readonly indexes: readonly Lifecycle[] } {
  const { file, tantivy: root, vectors: settings, postgresql: target, listener } = options;
  const tantivy = root !== undefined && loadTantivy().ok ? createTantivyKeeper({ file, root, ...listener('tantivy') }) : undefined;
  const vectors = settings === undefined ? undefined : createVectorKeeper({ file, ...settings, ...listener('vectors') });
  const copy = target === undefined ? undefined : createPostgresqlKeeper({ file, target, ...listener('postgresql') });
  const onCommit = (news: CommitNews): void => {
    options.onCommit?.(news);
    for (const index of [tantivy, copy]) news.rebuild === undefined ? index?.follow() : index?.rebuild();
    if (news.documents > 0) vectors?.follow();
  };
  return { store: createMessageStore({ ...options, onCommit }), indexes: [tantivy, vectors, copy].filter((index) => index !== undefined) };
}
