import type { QueryAssistance, ZeroResultGuidance } from '../../contracts/index.ts';
import type { NormalQuery } from './query.ts';

type Suggestion = NonNullable<ZeroResultGuidance['suggestions']>[number];

/** What to try when nothing was found, from the query alone: hidden rows must not show through. */
export function guide(query: NormalQuery, assistance: QueryAssistance | undefined): ZeroResultGuidance {
  const suggestions = [...fromFilters(query), ...fromTypos(assistance)];
  if (suggestions.length === 0) suggestions.push(...fromText(query));
  const n = suggestions.length;
  return {
    summary: n === 0 ? 'Nothing was found.' : `Nothing was found; ${n} ${n === 1 ? 'suggestion' : 'suggestions'}.`,
    ...(n > 0 && { suggestions }),
  };
}

function fromFilters(query: NormalQuery): Suggestion[] {
  if (query.doc_kind !== 'message') return [];
  const agents = [query.agent_name, query.sender_name, query.recipient_name].filter((name) => name !== null);
  const rows: readonly (Suggestion | false)[] = [
    (query.min_ts !== null || query.max_ts !== null) && {
      kind: 'broaden_date_range',
      label: 'Look at a longer time',
      detail: 'The search is limited in time.',
    },
    query.importance.length > 0 && { kind: 'drop_importance_filter', label: 'Look at every importance', detail: `Now only: ${query.importance.join(', ')}.` },
    agents.length > 0 && { kind: 'drop_agent_filter', label: 'Look at every agent', detail: `Now only: ${agents.join(', ')}.` },
    query.thread_id !== null && { kind: 'drop_thread_filter', label: 'Look at every thread', detail: `Now only: ${query.thread_id}.` },
    query.ack_required !== null && { kind: 'drop_ack_filter', label: 'Look at messages with and without acknowledgement' },
  ];
  return rows.filter((row) => row !== false);
}

function fromTypos(assistance: QueryAssistance | undefined): Suggestion[] {
  return (assistance?.did_you_mean ?? []).map(({ token, suggested_field, value }) => ({
    kind: 'fix_typo' as const,
    label: `Did you mean ${suggested_field}:${value}?`,
    detail: `Instead of ${token}.`,
  }));
}

function fromText(query: NormalQuery): Suggestion[] {
  if (query.text !== '') return [{ kind: 'simplify_query', label: 'Use fewer or simpler words' }];
  return [{ kind: 'enter_search_terms', label: 'Enter words to look for' }];
}
