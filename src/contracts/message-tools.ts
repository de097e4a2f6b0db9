import { z } from 'zod';
import { QueryAssistance, QueryExplain, SearchDiagnostics, SearchRetry, ZeroResultGuidance } from './message-explain.ts';
import { QUERY_TEXT_MAX, SEARCH_MODES } from './message-query.ts';
import { REASON_CODES, ScoreFactor, SearchFacets, SearchSnippet } from './message-results.ts';

/**
 * The tools `search_messages` and `search_messages_product` (message-search.md 6). The schema judges types only: aliases,
 * lists and dates are texts here, so that a mistake in them is answered with a code and the name of the field.
 */

/** Number of results that a tool gives if not told otherwise. */
export const TOOL_LIMIT_DEFAULT = 20;
/** offset + limit may not reach beyond. */
export const TOOL_WINDOW_MAX = 5000;
/** Names of one and the same argument; the first is canonical. */
export const TOOL_ALIASES = {
  sender: ['sender', 'from_agent', 'sender_name'],
  date_start: ['date_start', 'date_from', 'after', 'since'],
  date_end: ['date_end', 'date_to', 'before', 'until'],
  project: ['project', 'project_key_filter', 'project_slug', 'proj'],
} as const;

const OPEN = { additionalProperties: {} };
const text = (description: string) => z.string().max(QUERY_TEXT_MAX).optional().meta({ description });
const aliases = <N extends string>(names: readonly N[], description: string) =>
  Object.fromEntries(names.map((alias, index) => [alias, text(index === 0 ? description : `Alias of ${names[0]}.`)])) as Record<N, ReturnType<typeof text>>;

const SHARED = {
  query: z.string().max(QUERY_TEXT_MAX).meta({ description: 'Words to look for. Blank: nothing is found.' }),
  limit: z.int().optional().meta({ description: 'Results of a page; 20 if absent or not positive, at most 1000.' }),
  offset: z.int().optional().meta({ description: 'Results to leave out at the front; 0 if absent; not with a cursor.' }),
  ranking: text('relevance (default; also bm25) or recency (also recent).'),
  ...aliases(TOOL_ALIASES.sender, 'Only messages of this agent.'),
  importance: text('Comma-separated: low, normal, high, urgent.'),
  thread_id: text('Only this thread.'),
  ...aliases(TOOL_ALIASES.date_start, 'First moment: RFC 3339, without zone in UTC, or a date.'),
  ...aliases(TOOL_ALIASES.date_end, 'Last moment, inclusive; a date means its whole day in UTC.'),
  explain: z.boolean().optional().meta({ description: 'Whether the answer says how it was made.' }),
  snippets: z.boolean().optional().meta({ description: 'Whether results have a part of their body with what was looked for marked.' }),
  facets: z.boolean().optional().meta({ description: 'Whether a first page counts what matches by project, importance and sender.' }),
  retry: z.boolean().optional().meta({ description: 'false: nothing else is looked for where nothing matches the words.' }),
  cursor: text('`next_cursor` of the page before.'),
  mode: z.enum(SEARCH_MODES).optional().meta({ description: 'lexical if absent.' }),
  recipient_name: text('Only messages to this agent (to, cc or bcc).'),
  ack_required: z.boolean().optional().meta({ description: 'Whether an acknowledgement is asked for.' }),
  min_score: z.number().optional().meta({ description: 'Only results with at least this score, 0 to 1.' }),
  rerank_top_k: z.int().optional().meta({ description: 'Candidates that are ranked again, mode hybrid_rerank; 100 if absent.' }),
  rrf_k: z.int().optional().meta({ description: 'Constant of the fusion, modes hybrid and hybrid_rerank; 60 if absent.' }),
};

export const SearchMessagesInputs = z
  .object({ project_key: z.string().min(1).max(4096).meta({ description: 'Slug or key of the project.' }), ...SHARED })
  .meta({ description: 'Searches the messages of one project.', ...OPEN });
export type SearchMessagesInputs = z.infer<typeof SearchMessagesInputs>;

export const SearchMessagesProductInputs = z
  .object({
    product_key: z.string().min(1).max(4096).meta({ description: 'Uid or name of the product.' }),
    ...aliases(TOOL_ALIASES.project, 'Only this project of the product: slug or key.'),
    ...SHARED,
  })
  .meta({ description: 'Searches the messages of all projects of a product.', ...OPEN });
export type SearchMessagesProductInputs = z.infer<typeof SearchMessagesProductInputs>;

const ROW = {
  id: z.int(),
  subject: z.string(),
  importance: z.string(),
  ack_required: z.int().min(0).max(1),
  created_ts: z.string().nullable().meta({ description: 'RFC 3339, UTC, six digits of a second.' }),
  thread_id: z.string().nullable(),
  from: z.string(),
  to: z.array(z.string()).meta({ description: 'Names, in code-point order.' }),
  cc: z.array(z.string()),
  bcc: z.array(z.string()).optional().meta({ description: 'Absent when empty; for callers who may see everything, the sender, and those in it.' }),
  snippet: SearchSnippet.optional().meta({ description: 'Only with `snippets`.' }),
  reason_codes: z.array(z.enum(REASON_CODES)).optional(),
  score_factors: z.array(ScoreFactor).optional(),
};

const REST = {
  assistance: QueryAssistance.optional(),
  guidance: ZeroResultGuidance.optional(),
  retry: SearchRetry.optional(),
  facets: SearchFacets.optional().meta({ description: 'Only with `facets`, on a first page.' }),
  explain: QueryExplain.optional(),
  next_cursor: z.string().optional(),
  diagnostics: SearchDiagnostics.optional(),
};

export const SearchMessagesOutput = z.strictObject({ result: z.array(z.strictObject(ROW)), ...REST }).meta({ description: 'Messages of a project.' });
export type SearchMessagesOutput = z.infer<typeof SearchMessagesOutput>;

export const SearchMessagesProductOutput = z
  .strictObject({ result: z.array(z.strictObject({ ...ROW, project_id: z.int() })), ...REST })
  .meta({ description: 'Messages of the projects of a product.' });
export type SearchMessagesProductOutput = z.infer<typeof SearchMessagesProductOutput>;
