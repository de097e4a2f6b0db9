import type { SearchMessagesOutput, SearchMessagesProductOutput, SearchResponse, SearchResult } from '../../../contracts/index.ts';
import { momentText } from '../../../core/message-time.ts';

/** One message in the shape of message-search.md 6.1. */
export function toolRow(row: SearchResult): SearchMessagesOutput['result'][number] {
  return {
    id: row.id,
    subject: row.title,
    importance: row.importance ?? 'normal',
    ack_required: row.ack_required === true ? 1 : 0,
    created_ts: row.created_ts === undefined ? null : momentText(row.created_ts),
    thread_id: row.thread_id ?? null,
    from: row.from_agent ?? '',
    to: row.to ?? [],
    cc: row.cc ?? [],
    ...(row.bcc === undefined ? {} : { bcc: row.bcc }),
    ...(row.snippet === undefined ? {} : { snippet: row.snippet }),
    ...(row.reason_codes === undefined ? {} : { reason_codes: row.reason_codes }),
    ...(row.score_factors === undefined ? {} : { score_factors: row.score_factors }),
  };
}

/** The same with its project (message-search.md 6.2). */
export function productRow(row: SearchResult): SearchMessagesProductOutput['result'][number] {
  return { ...toolRow(row), project_id: row.project_id ?? 0 };
}

/** What stands beside the rows; absent members stay absent. */
export function besideRows({ assistance, guidance, retry, facets, explain, next_cursor, diagnostics }: SearchResponse): Omit<SearchMessagesOutput, 'result'> {
  return {
    ...(assistance === undefined ? {} : { assistance }),
    ...(guidance === undefined ? {} : { guidance }),
    ...(retry === undefined ? {} : { retry }),
    ...(facets === undefined ? {} : { facets }),
    ...(explain === undefined ? {} : { explain }),
    ...(next_cursor === undefined ? {} : { next_cursor }),
    ...(diagnostics === undefined ? {} : { diagnostics }),
  };
}
