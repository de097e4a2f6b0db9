import type { ReasonCode, ScoreFactor, SearchMode, SearchResult } from '../../contracts/index.ts';
import type { EngineMatch, EngineRow } from '../../core/ports/message-engine.ts';
import type { MessageRecipients } from '../../core/ports/message-recipients.ts';
import { redacted } from '../visibility/scope.ts';
import type { NormalQuery } from './query.ts';

interface Judging {
  readonly codes: readonly ReasonCode[];
  /** The one thing that makes the score, and what it is called; absent: nothing is ranked. */
  readonly factor?: readonly [key: string, summary: string];
}

/** How rows are judged that match by words, by what their engine offers. */
const BY_WORDS = {
  lexical: { codes: ['lexical_bm25'], factor: ['bm25', 'BM25 of the words, up to 1 for the best match; the title counts ten times.'] },
  semantic: { codes: ['semantic_cosine'], factor: ['cosine', 'Cosine of the vectors of text and query.'] },
  hybrid: { codes: ['fusion_weighted_blend'], factor: ['rrf', 'Ranks by words and by vectors, fused: 1 for the first of both.'] },
  hybrid_rerank: { codes: ['fusion_weighted_blend'], factor: ['rerank', 'What a model made of query and text; behind the judged rows, the fused ranks.'] },
} satisfies Record<SearchMode, Judging>;

const TERM_COVERAGE: Judging = { codes: ['lexical_term_coverage'], factor: ['term_coverage', 'Every word occurs in title or body.'] };
const UNRANKED: Judging = { codes: ['stage_not_executed'] };

function judgingOf({ by }: EngineMatch, mode: SearchMode): Judging {
  return { words: BY_WORDS[mode], substrings: TERM_COVERAGE, filters: UNRANKED }[by];
}

interface Seen {
  /** What the engine that answered offers. */
  readonly mode: SearchMode;
  /** Whether raw scores, which depend on everybody's mail, may be shown. */
  readonly mayJudge: boolean;
  /** Of the messages of the page; `undefined` when they could not be read. */
  readonly recipients: ReadonlyMap<number, MessageRecipients> | undefined;
}

/** A row of an engine as the caller sees it. */
export function resultOf(row: EngineRow, query: NormalQuery, match: EngineMatch, { mode, mayJudge, recipients }: Seen): SearchResult {
  const judging = judgingOf(match, mode);
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
    reason_codes: [...judging.codes],
    ...(query.explain && { score_factors: factorsOf(row, judging) }),
    redacted: false,
  };
  return row.visible || query.redaction === null ? result : redacted(result, query.redaction);
}

function recipientsOf({ to, cc, bcc }: MessageRecipients = { to: [], cc: [], bcc: [] }): Pick<SearchResult, 'to' | 'cc' | 'bcc'> {
  return { to: [...to], cc: [...cc], ...(bcc.length > 0 && { bcc: [...bcc] }) };
}

function factorsOf({ score }: EngineRow, { factor }: Judging): ScoreFactor[] {
  if (factor === undefined) return [];
  const [key, summary] = factor;
  return [{ key, contribution: score, summary }];
}
