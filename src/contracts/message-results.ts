import { z } from 'zod';
import { QueryAssistance, QueryExplain, SearchDiagnostics, SearchRetry, ZeroResultGuidance } from './message-explain.ts';
import { DocKind, Importance } from './message-query.ts';

/** The answer of message search (message-search.md 3.2, 4, 5). */

export const REASON_CODES = [
  'lexical_bm25',
  'lexical_term_coverage',
  'semantic_cosine',
  'semantic_neighborhood',
  'fusion_weighted_blend',
  'rerank_policy_boost',
  'rerank_policy_penalty',
  'stage_not_executed',
  'scope_redacted',
  'scope_denied',
] as const;
export type ReasonCode = (typeof REASON_CODES)[number];

export const ScoreFactor = z.strictObject({
  key: z.string().meta({ description: '`bm25`, `term_coverage`, `cosine`, `rrf_lexical`, `rrf_semantic` or `rerank`.' }),
  contribution: z.number(),
  summary: z.string(),
});
export type ScoreFactor = z.infer<typeof ScoreFactor>;

const span = z.strictObject({ start: z.int().min(0), end: z.int().min(0) }).meta({ description: 'UTF-16 units; `end` is the first one behind.' });

export const SearchSnippet = z
  .strictObject({
    title_highlights: z.array(span).meta({ description: 'Parts of the title that are what was looked for.' }),
    text: z.string().meta({ description: 'A part of the body in which that occurs, else its beginning; at most some 400 characters, `…` where it was cut.' }),
    highlights: z.array(span).meta({ description: 'Parts of `text` that are what was looked for.' }),
  })
  .meta({ description: 'Where a result has what was looked for.' });

function counts<T extends z.ZodType>(value: T, what: string) {
  return z.array(z.strictObject({ value, count: z.int().min(1) })).meta({ description: `${what}, the most frequent first, at most twenty.` });
}

export const SearchFacets = z
  .strictObject({
    project_id: counts(z.int(), 'Projects'),
    importance: counts(z.string(), 'Importance'),
    from_agent: counts(z.string(), 'Names of senders'),
  })
  .meta({ description: 'How many of the messages that match, and that may be seen, are of each value; `min_score` and pages left out.' });

export const SearchResult = z.strictObject({
  doc_kind: DocKind,
  id: z.int(),
  project_id: z.int().optional(),
  title: z.string().meta({ description: 'Subject of a message, name of an agent, slug of a project.' }),
  body: z.string().meta({ description: 'Markdown of a message, task of an agent, key of a project.' }),
  score: z.number().min(0).max(1).optional().meta({ description: 'Higher is better, the best of the whole set is 1. Absent in redacted rows.' }),
  raw_score: z.number().optional().meta({ description: "The engine's own number, with explain and for callers who may see everything." }),
  importance: Importance.optional(),
  ack_required: z.boolean().optional(),
  created_ts: z.int().optional().meta({ description: 'Microseconds since 1970 UTC.' }),
  thread_id: z.string().optional(),
  from_agent: z.string().optional(),
  to: z.array(z.string()).optional().meta({ description: 'Of a message, by name. Absent where names are redacted.' }),
  cc: z.array(z.string()).optional(),
  bcc: z.array(z.string()).optional().meta({ description: 'Absent when empty; for callers who may see everything, the sender, and those in it.' }),
  snippet: SearchSnippet.optional().meta({ description: 'Only with `snippets`; absent in redacted rows.' }),
  reason_codes: z.array(z.enum(REASON_CODES)).optional(),
  score_factors: z.array(ScoreFactor).optional(),
  redacted: z.boolean(),
  redaction_reason: z.string().optional(),
});
export type SearchResult = z.infer<typeof SearchResult>;

export const SearchAuditEntry = z.strictObject({
  action: z.enum(['denied', 'redacted']),
  doc_kind: DocKind,
  doc_id: z.int(),
  project_id: z.int().optional(),
  reason: z.string(),
  policy: z.string(),
});
export type SearchAuditEntry = z.infer<typeof SearchAuditEntry>;

export const SearchResponse = z
  .strictObject({
    results: z.array(SearchResult),
    next_cursor: z.string().optional().meta({
      description:
        'Token of the next page; absent on the last one. That of the query, where its page could not be searched (`diagnostics`): it is to be asked for again.',
    }),
    retry: SearchRetry.optional().meta({ description: 'Only when nothing matches the text and something else was found.' }),
    facets: SearchFacets.optional().meta({ description: 'Only with `facets`, on a first page.' }),
    explain: QueryExplain.optional(),
    assistance: QueryAssistance.optional(),
    guidance: ZeroResultGuidance.optional().meta({ description: 'Only when nothing was found.' }),
    diagnostics: SearchDiagnostics.optional().meta({ description: 'Only when the search was degraded.' }),
    audit: z.array(SearchAuditEntry).optional().meta({
      description:
        'What was withheld and why, for callers who may see everything: rows that are redacted on this page; on a first page the first 100 that were left out.',
    }),
  })
  .meta({ description: 'What a search in messages found.' });
export type SearchResponse = z.infer<typeof SearchResponse>;
