import type { KillSwitch } from '../search/planner.ts';
import { type PostgresqlSettings, postgresqlOf } from './postgresql-target.ts';
import type { MessageSearchOptions } from './search-thread-keeper.ts';

/** What the settings say of searches. */
interface SearchSettings extends PostgresqlSettings {
  readonly engine: Exclude<KillSwitch, undefined> | '';
  readonly read_only: boolean;
  readonly tantivy: boolean;
  readonly vectors: boolean;
  readonly model: string;
  readonly reranker: string;
  readonly search_deadline_ms: number;
  readonly search_processes: number;
}

/** Where messages lie, and what is made of them. */
interface SearchFiles {
  readonly messages: string;
  readonly messagesTantivy: string;
  readonly messagesVectors: string;
}

/** How a process of this host searches. Indexes and vectors are made of a store, so that a host without one has none. */
export function searchOptionsOf(settings: SearchSettings, places: SearchFiles): MessageSearchOptions {
  const { engine, read_only: readOnly, model, reranker, search_deadline_ms: deadlineMs, search_processes: processes } = settings;
  return {
    deadlineMs,
    processes,
    ...postgresqlOf(settings),
    file: places.messages,
    ...(readOnly && { readOnly }),
    ...(settings.tantivy && !readOnly && { tantivy: places.messagesTantivy }),
    ...(settings.vectors && !readOnly && { vectors: { directory: places.messagesVectors, model, reranker } }),
    killSwitch: engine === '' ? undefined : engine,
  };
}
