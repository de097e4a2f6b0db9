import { z } from 'zod';

/**
 * The query of message search (message-search.md 2), the same for MCP, HTTP, the command line and the terminal.
 * `text` is the only field that must be there; `null` means the same as absence, and fields that nobody knows are ignored.
 */

export const DOC_KINDS = ['message', 'agent', 'project'] as const;
export const IMPORTANCES = ['low', 'normal', 'high', 'urgent'] as const;
export const DIRECTIONS = ['inbox', 'outbox'] as const;
export const RANKINGS = ['relevance', 'recency'] as const;
export const SEARCH_MODES = ['lexical', 'semantic', 'hybrid', 'hybrid_rerank'] as const;

/** Longest text of a query, UTF-16 units: SQLite takes no LIKE pattern beyond 50 000 bytes. */
export const QUERY_TEXT_MAX = 16_384;
/** Defaults and clamps of message-search.md 2.1 and 2.2. */
export const QUERY_LIMIT = { default: 50, min: 1, max: 1000 } as const;
export const RERANK_TOP_K = { default: 100, min: 10, max: 1000 } as const;
export const RRF_K = { default: 60, min: 1, max: 1000 } as const;
/** What stands in place of a redacted text, unless the query names another word. */
export const REDACTION_PLACEHOLDER = '[redacted]';

export const DocKind = z.enum(DOC_KINDS);
export type DocKind = z.infer<typeof DocKind>;
export const Importance = z.enum(IMPORTANCES);
export type Importance = z.infer<typeof Importance>;
export const Direction = z.enum(DIRECTIONS);
export type Direction = z.infer<typeof Direction>;
export const RankingMode = z.enum(RANKINGS);
export type RankingMode = z.infer<typeof RankingMode>;
export const SearchMode = z.enum(SEARCH_MODES);
export type SearchMode = z.infer<typeof SearchMode>;

/** Unknown members are taken and left out; the published schema has to say so. */
const OPEN = { additionalProperties: {} };

export const TimeRange = z
  .object({
    min_ts: z.int().nullish().meta({ description: 'First moment, microseconds since 1970 UTC, inclusive.' }),
    max_ts: z.int().nullish().meta({ description: 'Last moment, microseconds since 1970 UTC, inclusive.' }),
  })
  .meta({ description: 'Time of creation.', ...OPEN });
export type TimeRange = z.infer<typeof TimeRange>;

export const ScopePolicy = z
  .union([
    z.literal('unrestricted'),
    z.strictObject({ caller_scoped: z.object({ caller_agent: z.string().min(1).max(1024) }).meta(OPEN) }),
    z.strictObject({ project_set: z.object({ allowed_project_ids: z.array(z.int()).max(10_000) }).meta(OPEN) }),
  ])
  .meta({
    description: 'What may be seen: everything; what the agents of this name may see; or what lies in these projects (an empty list: nothing).',
  });
export type ScopePolicy = z.infer<typeof ScopePolicy>;

export const RedactionConfig = z
  .object({
    redact_body: z.boolean().nullish().meta({ description: 'Title and body are replaced; false if absent.' }),
    redact_agent_names: z.boolean().nullish().meta({ description: "The sender's name is replaced; false if absent." }),
    redact_thread_ids: z.boolean().nullish().meta({ description: 'The thread is left out; false if absent.' }),
    placeholder: z
      .string()
      .max(1024)
      .nullish()
      .meta({ description: `What stands in their place; ${REDACTION_PLACEHOLDER} if absent.` }),
  })
  .meta({ description: 'With any of the three, rows beyond the scope are shown redacted instead of left out.', ...OPEN });
export type RedactionConfig = z.infer<typeof RedactionConfig>;

const name = (description: string) => z.string().max(1024).nullish().meta({ description });
const whole = (description: string) => z.int().min(0).nullish().meta({ description });

export const SearchQuery = z
  .object({
    text: z
      .string()
      .max(QUERY_TEXT_MAX)
      .meta({ description: 'Words to look for; FTS5 syntax works where it is valid, and is taken as words where it is not.' }),
    doc_kind: DocKind.nullish().meta({ description: 'message if absent. Filters on messages are ignored for the other kinds.' }),
    project_id: z.int().nullish().meta({ description: 'Only this project; wins over product_id.' }),
    product_id: z.int().nullish().meta({ description: 'Only the projects linked to this product. Messages only.' }),
    importance: z.array(Importance).max(16).nullish().meta({ description: 'Any of these; no filter if empty. Messages only.' }),
    direction: Direction.nullish().meta({ description: 'inbox: agent_name is a recipient; outbox: the sender. Ignored without agent_name. Messages only.' }),
    agent_name: name('Sender or recipient, see direction; without it, either. ASCII letters of any case. Messages only.'),
    thread_id: name('Exactly this thread. Messages only.'),
    ack_required: z.boolean().nullish().meta({ description: 'Whether an acknowledgement is asked for. Messages only.' }),
    time_range: TimeRange.nullish(),
    ranking: RankingMode.nullish().meta({ description: 'relevance if absent; recency: newest first.' }),
    limit: whole('Results of a page; 50 if absent, kept within 1 and 1000.'),
    offset: whole('Results to leave out at the front; not with a cursor. 0 if absent.'),
    cursor: z.string().max(1024).nullish().meta({ description: '`next_cursor` of the page before. One that cannot be read begins at the front.' }),
    explain: z.boolean().nullish().meta({ description: 'Whether the answer says how it was made; false if absent.' }),
    snippets: z.boolean().nullish().meta({ description: 'Whether results have a part of their body with what was looked for marked; false if absent.' }),
    facets: z.boolean().nullish().meta({
      description: 'Whether a first page says how many of the messages that match are of each project, importance and sender; false if absent. Messages only.',
    }),
    retry: z.boolean().nullish().meta({
      description: 'Whether other spellings, any of the words, and parts of words are looked for where nothing matches a list of words; true if absent.',
    }),
    scope: ScopePolicy.nullish().meta({ description: 'unrestricted if absent.' }),
    redaction: RedactionConfig.nullish(),
    mode: SearchMode.nullish().meta({
      description: 'lexical if absent, unless SEARCH_ENGINE says otherwise. A mode that is not there is replaced by the next one.',
    }),
    sender_name: name('Exactly this sender; ASCII letters of any case. Messages only.'),
    recipient_name: name('A recipient (to, cc or bcc); ASCII letters of any case. Messages only.'),
    min_score: z.number().nullish().meta({ description: 'Only results with at least this score, on the scale from 0 to 1.' }),
    rerank_top_k: whole('Candidates that are ranked again, mode hybrid_rerank only; 100 if absent, kept within 10 and 1000.'),
    rrf_k: whole('Constant of the fusion, modes hybrid and hybrid_rerank only; 60 if absent, kept within 1 and 1000.'),
  })
  .meta({ description: 'A search in messages, agents or projects.', ...OPEN });
export type SearchQuery = z.infer<typeof SearchQuery>;
