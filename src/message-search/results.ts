import type { ReasonCode, ScoreFactor, SearchResult } from '../contracts/index.ts';
import type { EngineMatch, EngineRow } from '../core/ports/message-engine.ts';
import type { MessageRecipients } from '../core/ports/message-recipients.ts';
import type { NormalQuery } from './query.ts';
import { redacted } from './scope.ts';

/** How a row was judged, by what it was matched with. */
const REASONS = {
  words: ['lexical_bm25'],
  substrings: ['lexical_term_coverage'],
  filters: ['stage_not_executed'],
} satisfies Record<EngineMatch['by'], readonly ReasonCode[]>;

interface Seen {
  /** Whether raw scores, which depend on everybody's mail, may be shown. */
  readonly mayJudge: boolean;
  /** Of the messages of the page; `undefined` when they could not be read. */
  readonly recipients: ReadonlyMap<number, MessageRecipients> | undefined;
}

/** A row of an engine as the caller sees it. */
export function resultOf(row: EngineRow, query: NormalQuery, match: EngineMatch, { mayJudge, recipients }: Seen): SearchResult {
  const result: SearchResult = {
    doc_kind: query.doc_kind,
    id: row.id,
    ...(row.project_id !== null && { project_id: row.project_id }),
    title: row.title,
    body: row.body,
    score: row.score,
    ...(query.explain && mayJudge && { raw_score: row.raw }),
    ...(row.importance !== null && { importance: row.importance }),
    ...(row.ack_required !== null && { ack_required: row.ack_required }),
    ...(row.created_ts !== null && { created_ts: row.created_ts }),
    ...(row.thread_id !== null && { thread_id: row.thread_id }),
    ...(row.from_agent !== null && { from_agent: row.from_agent }),
    ...(recipients !== undefined && query.doc_kind === 'message' && recipientsOf(recipients.get(row.id))),
    reason_codes: [...REASONS[match.by]],
    ...(query.explain && { score_factors: factorsOf(row, match) }),
    redacted: false,
  };
  return row.visible || query.redaction === null ? result : redacted(result, query.redaction);
}

function recipientsOf({ to, cc, bcc }: MessageRecipients = { to: [], cc: [], bcc: [] }): Pick<SearchResult, 'to' | 'cc' | 'bcc'> {
  return { to: [...to], cc: [...cc], ...(bcc.length > 0 && { bcc: [...bcc] }) };
}

function factorsOf(row: EngineRow, match: EngineMatch): ScoreFactor[] {
  const factors = {
    words: [
      { key: 'bm25', contribution: row.score, summary: 'BM25 of the words, up to 1 for the best match; the title counts ten times.' },
    ],
    substrings: [{ key: 'term_coverage', contribution: 1, summary: 'Every word occurs in title or body.' }],
    filters: [],
  } satisfies Record<EngineMatch['by'], ScoreFactor[]>;
  return factors[match.by];
}
