import type { EngineFilters, EngineScope } from '../../core/ports/message-engine.ts';
import type { NormalQuery } from './query.ts';

const NO_FILTERS: EngineFilters = {
  project_id: null,
  product_id: null,
  importance: [],
  thread_id: null,
  ack_required: null,
  min_ts: null,
  max_ts: null,
  direction: null,
  agent_name: null,
  sender_name: null,
  recipient_name: null,
};

/** The filters that count for a query: agents and projects know only their project, and a project wins over a product. */
export function filtersOf(query: NormalQuery): EngineFilters {
  if (query.doc_kind !== 'message') return { ...NO_FILTERS, project_id: query.project_id };
  return {
    project_id: query.project_id,
    product_id: query.project_id === null ? query.product_id : null,
    importance: query.importance,
    thread_id: query.thread_id,
    ack_required: query.ack_required,
    min_ts: query.min_ts,
    max_ts: query.max_ts,
    direction: query.agent_name === null ? null : query.direction,
    agent_name: query.agent_name,
    sender_name: query.sender_name,
    recipient_name: query.recipient_name,
  };
}

/** Names of the facets that were applied, in the order of version 2; the new ones of version 3 follow. */
export function facetsOf(filters: EngineFilters, scope: EngineScope, query: NormalQuery, cursorUsed: boolean): string[] {
  const rows: readonly (readonly [string, boolean])[] = [
    ['project_id', filters.project_id !== null],
    ['product_id', filters.product_id !== null],
    ['scope_project_set', scope.projects !== null],
    ['importance', filters.importance.length > 0],
    ['thread_id', filters.thread_id !== null],
    ['ack_required', filters.ack_required !== null],
    ['time_range_min', filters.min_ts !== null],
    ['time_range_max', filters.max_ts !== null],
    ['direction', filters.direction !== null],
    ['agent_name', filters.agent_name !== null && filters.direction === null],
    ['cursor', cursorUsed],
    ['sender_name', filters.sender_name !== null],
    ['recipient_name', filters.recipient_name !== null],
    ['min_score', query.min_score !== null],
  ];
  return rows.filter(([, applied]) => applied).map(([label]) => label);
}

/** Whether anything says which rows are meant, beside the text. */
export function hasFilter(filters: EngineFilters): boolean {
  return Object.values(filters).some((value) => (Array.isArray(value) ? value.length > 0 : value !== null));
}
