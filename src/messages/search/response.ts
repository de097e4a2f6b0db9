import type { ReasonCode, ScoreFactor, SearchAuditEntry, SearchDiagnostics, SearchMode, SearchResponse, SearchResult } from '../../contracts/index.ts';
import type { EngineFacets, EngineMatch, EngineRow } from '../../core/ports/message-engine.ts';
import type { Excerpt } from '../../core/ports/message-excerpts.ts';
import type { MessageRecipients } from '../../core/ports/message-recipients.ts';
import { auditEntry, redacted } from '../visibility/scope.ts';
import { assist } from './assistance.ts';
import type { EngineFault } from './engine-fault.ts';
import { guide } from './guidance.ts';
import { type ServedPage, tokenAfter } from './pages.ts';
import type { RetryStep } from './retry.ts';
import { downgradeOf, explainOf, type SearchTrace } from './search-trace.ts';

/** Other words would find nothing either. */
const NOT_SEARCHED: NonNullable<SearchResponse['guidance']> = { summary: 'Nothing could be searched.' };

/** What the caller gets of a search. */
export function responseOf(trace: SearchTrace): SearchResponse {
  const { query, served } = trace;
  const rows = served?.page.rows ?? [];
  const next = nextCursorOf(trace);
  const assistance = assist(query.text);
  const diagnostics = diagnosticsOf(trace);
  const audit = auditOf(trace);
  return {
    results: served === null ? [] : rows.map((row) => resultOf(row, served, trace)),
    ...(next !== undefined && { next_cursor: next }),
    ...(trace.retry !== undefined && { retry: toldOf(trace.retry) }),
    ...(served?.page.facets !== undefined && { facets: facetCountsOf(served.page.facets) }),
    ...(query.explain && { explain: explainOf(trace) }),
    ...(assistance !== undefined && { assistance }),
    ...(rows.length === 0 && { guidance: served === null ? NOT_SEARCHED : guide(query, assistance) }),
    ...(diagnostics !== undefined && { diagnostics }),
    ...(audit.length > 0 && { audit }),
  };
}

/** A page that could not be searched is not the last one: the token that named it names it still (D491). */
function nextCursorOf({ served, faults, asked, seal, retry }: SearchTrace): string | undefined {
  if (served === null) return asked !== null && asked !== '' && isPassing(faults) ? asked : undefined;
  const last = served.page.more ? served.page.rows.at(-1) : undefined;
  return last && seal(tokenAfter(last, served.request.order, served.engine, retry?.by));
}

/** Whether asking again may help: time ran out, or something was away. What is damaged stays so, and so does a text that nobody reads. */
function isPassing(faults: readonly EngineFault[]): boolean {
  return faults.some(({ kind }) => kind === 'engine_error' || kind === 'index_not_ready') && !faults.some(({ damaged }) => damaged === true);
}

function facetCountsOf({ project_id, importance, from_agent }: EngineFacets): NonNullable<SearchResponse['facets']> {
  return { project_id: [...project_id], importance: [...importance], from_agent: [...from_agent] };
}

function toldOf({ by, text, replaced }: RetryStep): NonNullable<SearchResponse['retry']> {
  return { by, text, ...(replaced.length > 0 && { replaced: replaced.map(({ word, by: others }) => ({ word, by: [...others] })) }) };
}

/** What is withheld: on this page redacted, on the first one left out. Only an operator is told. */
function auditOf({ query, viewer, served, extras }: SearchTrace): SearchAuditEntry[] {
  if (viewer !== null) return [];
  const hidden = served?.page.rows.filter(({ visible }) => !visible) ?? [];
  return [...hidden.map((row) => auditEntry('redacted', query, row)), ...extras.denied.map((row) => auditEntry('denied', query, row))];
}

/** What automation may branch on when a search is not what was asked for; `undefined` when it is. The same query over the same data says the same. */
export function diagnosticsOf(trace: SearchTrace): SearchDiagnostics | undefined {
  const { faults, served } = trace;
  const downgrade = downgradeOf(trace);
  if (faults.length === 0 && downgrade === undefined) return undefined;
  const notReady = faults.find(({ kind }) => kind === 'index_not_ready');
  const failed = faults.some(({ kind, stage }) => kind === 'engine_error' && stage !== 'deadline');
  const rerank = faults.find(({ stage }) => stage === 'rerank_timeout' || stage === 'rerank_failed')?.stage;
  const damaged = faults.some((fault) => fault.damaged === true);
  const isLate = faults.some(({ stage }) => stage === 'deadline');
  const hints: readonly (readonly [string, boolean, string])[] = [
    [
      'budget_exhausted',
      isLate,
      'The search was ended at its deadline (messages.search_deadline_ms): use fewer or rarer words, longer beginnings, or filters; where texts are large, a smaller limit.',
    ],
    ['rerank_timeout', rerank === 'rerank_timeout', 'The reranker was too slow: the order is that of mode hybrid.'],
    ['rerank_failed', rerank === 'rerank_failed', 'The reranker failed: the order is that of mode hybrid.'],
    [
      'search_index_not_ready',
      notReady !== undefined,
      damaged ? DAMAGED : 'See search_index_reason. Without a database: import messages (writ messages import), or wait for the index.',
    ],
    ['engine_error', failed, damaged ? DAMAGED : 'An engine failed: see the log, and writ doctor.'],
    ['mode_downgrade', downgrade !== undefined, 'Ask for mode lexical, or provide what the mode needs.'],
    ['like_fallback', faults.length > 0 && served?.request.match.by === 'substrings', 'Write words, or a phrase in double quotes.'],
  ];
  const applying = hints.filter(([, applies]) => applies);
  const [first] = applying;
  if (first === undefined) return undefined;
  return {
    degraded: true,
    fallback_mode: first[0],
    ...(isLate && { timeout_stage: 'lexical', budget_exhausted: true }),
    ...(rerank === 'rerank_timeout' && { timeout_stage: 'rerank' }),
    ...(notReady !== undefined && { search_index_state: 'not_ready', search_index_reason: notReady.message }),
    remediation_hints: applying.map(([, , hint]) => hint),
  };
}

const DAMAGED = 'The database of messages is damaged: writ messages rebuild makes the full text anew; if that does not help, writ doctor says more.';

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

/** A row of an engine as the caller sees it. Raw scores depend on everybody's mail, so only who may see all of it is shown them. */
function resultOf(row: EngineRow, { engine, request }: ServedPage, { query, viewer, extras: { recipients, excerpts } }: SearchTrace): SearchResult {
  const judging = judgingOf(request.match, engine.mode);
  const mayJudge = viewer === null && query.scope === 'unrestricted';
  const result: SearchResult = {
    doc_kind: query.doc_kind,
    id: row.id,
    ...(row.project_id !== null && { project_id: row.project_id }),
    title: row.title,
    body: query.bodies ? row.body : '',
    score: row.score,
    ...(query.explain && mayJudge && { raw_score: row.raw }),
    ...(row.importance !== null && { importance: row.importance }),
    ...(row.ack_required !== null && { ack_required: row.ack_required }),
    ...(row.created_ts !== null && { created_ts: row.created_ts }),
    ...(row.thread_id !== null && { thread_id: row.thread_id }),
    ...(row.from_agent !== null && { from_agent: row.from_agent }),
    ...(recipients !== undefined && query.doc_kind === 'message' && recipientsOf(recipients.get(row.id))),
    ...snippetOf(excerpts?.get(row.id)),
    reason_codes: [...judging.codes],
    ...(query.explain && { score_factors: factorsOf(row, judging) }),
    redacted: false,
  };
  return row.visible || query.redaction === null ? result : redacted(result, query.redaction);
}

function snippetOf(excerpt: Excerpt | undefined): Pick<SearchResult, 'snippet'> {
  if (excerpt === undefined) return {};
  const { title_highlights, text, highlights } = excerpt;
  return { snippet: { title_highlights: [...title_highlights], text, highlights: [...highlights] } };
}

function recipientsOf({ to, cc, bcc }: MessageRecipients = { to: [], cc: [], bcc: [] }): Pick<SearchResult, 'to' | 'cc' | 'bcc'> {
  return { to: [...to], cc: [...cc], ...(bcc.length > 0 && { bcc: [...bcc] }) };
}

function factorsOf({ score }: EngineRow, { factor }: Judging): ScoreFactor[] {
  if (factor === undefined) return [];
  const [key, summary] = factor;
  return [{ key, contribution: score, summary }];
}
