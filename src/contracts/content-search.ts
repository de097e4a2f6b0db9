import { z } from 'zod';

/**
 * The `Search` tool (local-search-index.md 2): its request and its answer, on the queue (CONTENT_SEARCH), over HTTP, on the
 * command line and in the client. The request has the 13 fields of the baseline and no other; the answer has the keys of
 * the baseline and, when the settings ask for it, `stats`.
 */

/** Names that reach the tool (FR-LSI-BASE-02, -03). The last one is accepted and not advertised. */
export const SEARCH_TOOL_NAME = 'Search';
export const SEARCH_TOOL_ALIASES = ['search', 'rg', 'ripgrep', 'ugrep', 'ug'] as const;
export const SEARCH_TOOL_SILENT_ALIASES = ['search_files'] as const;

/** The longest pattern and the longest glob, UTF-8 bytes: what a backend takes as one argument, with room. */
export const CONTENT_PATTERN_MAX_BYTES = 65_536;
export const CONTENT_GLOB_MAX_BYTES = 4_096;
export const CONTENT_GLOBS_MAX = 256;
export const CONTENT_CONTEXT_MAX = 10_000;
export const CONTENT_RESULTS_MAX = 10_000_000;
export const CONTENT_TIMEOUT_MAX_MS = 600_000;

/** The longest line text of an event; the rest of the line is left out, at a code point's border. UTF-8 bytes as the backend sent them. */
export const CONTENT_LINE_MAX_BYTES = 65_536;
/** The largest answer, UTF-8 bytes of its JSON: events that do not fit are left out from the end, and `truncated` is set. */
export const CONTENT_ANSWER_MAX_BYTES = 8 * 1024 * 1024;

const flag = (description: string): z.ZodOptional<z.ZodBoolean> => z.boolean().optional().meta({ description });

export const ContentSearchRequest = z
  .strictObject({
    pattern: z.string().min(1).meta({ description: 'What to look for: a regular expression of the backend, or literal text with `fixed_strings`. One line.' }),
    path: z.string().min(1).max(4096).optional().meta({ description: 'Directory or file to search; the working directory of the tool if absent.' }),
    case: z
      .enum(['smart', 'sensitive', 'insensitive'])
      .optional()
      .meta({ description: 'smart, if absent: insensitive if a character of the pattern stands for itself, and none that does is upper case.' }),
    fixed_strings: flag('The pattern is literal text.'),
    word_regexp: flag('Only whole words match.'),
    hidden: flag('Files and directories whose names begin with a dot are searched too.'),
    follow: flag('Symbolic links are followed, inside the allowed roots only.'),
    no_ignore: flag('Ignore files are not regarded.'),
    glob: z
      .array(z.string().min(1).max(CONTENT_GLOB_MAX_BYTES))
      .max(CONTENT_GLOBS_MAX)
      .optional()
      .meta({ description: 'Only files whose path matches; with `!` in front, only files whose path does not. The last one that matches decides.' }),
    context: z.int().min(0).max(CONTENT_CONTEXT_MAX).optional().meta({ description: 'Lines before and after each match; 0 if absent.' }),
    max_results: z
      .int()
      .min(1)
      .max(CONTENT_RESULTS_MAX)
      .optional()
      .meta({ description: 'Most events, matches and context lines together; 200 if absent and not set otherwise.' }),
    timeout_ms: z
      .int()
      .min(1)
      .max(CONTENT_TIMEOUT_MAX_MS)
      .optional()
      .meta({ description: 'Milliseconds until the search ends with what it has; 20000 if absent and not set otherwise.' }),
    fuzzy: z.int().min(1).max(4).optional().meta({ description: 'Approximate matching: as many edits are forgiven. Only with the ugrep backend.' }),
  })
  .meta({ description: 'A search in the contents of files.' });
export type ContentSearchRequest = z.infer<typeof ContentSearchRequest>;

export const ContentSearchEvent = z.strictObject({
  type: z.enum(['match', 'context']),
  data: z.strictObject({
    path: z.strictObject({ text: z.string().meta({ description: 'Path relative to the order root, with `/`; bytes that are not UTF-8 are U+FFFD.' }) }),
    line_number: z.int().min(1),
    lines: z.strictObject({ text: z.string().meta({ description: 'The line without its end; bytes that are not UTF-8 are U+FFFD.' }) }),
  }),
});
export type ContentSearchEvent = z.infer<typeof ContentSearchEvent>;

/** States of the index (local-search-index.md 4.2). Without an index it is always DISABLED. */
export const INDEX_STATES = ['ABSENT', 'BUILDING', 'COMPLETE', 'UNCERTAIN', 'CORRUPT', 'DISABLED'] as const;
export const FALLBACK_REASONS = ['LITERAL_NO_MATCHES', 'INDEX_OFF', 'INDEX_UNAVAILABLE', 'CAPABILITY_MISSING'] as const;
export const FALLBACK_SKIP_REASONS = ['PATTERN_TOO_SHORT', 'TIME_BUDGET', 'BACKEND_NOT_FUZZY', 'UNREADABLE_FILES'] as const;

/** FR-LSI-STAT-02. More fields may come: readers ignore what they do not know (FR-LSI-SCHEMA-RESP-03). */
export const ContentSearchStats = z.strictObject({
  stats_version: z.literal(1),
  backend_id: z.string().meta({ description: 'Program and version that searched, `ugrep@3.11.2`.' }),
  index_safety_state: z.enum(INDEX_STATES),
  index_uncertain_reason: z.string().nullable(),
  index_exclusion_used: z.boolean(),
  index_bypass: z.string().nullable().meta({ description: 'Why the index left nothing out of this search; null if it was asked and could.' }),
  index_guarantee: z
    .enum(['inotify', 'stat', 'none'])
    .meta({ description: 'How fresh the index is known to be: by events of the file system, by looking at each file, or not at all.' }),
  storage_mode: z.enum(['memory', 'sqlite', 'none']),
  storage_fallback_reason: z.string().nullable(),
  fallback_used: z.boolean(),
  fallback_reason: z.enum(FALLBACK_REASONS).nullable(),
  fuzzy_levels_tried: z.array(z.int().min(1).max(4)),
  fallback_passes_skipped: z.int().min(0),
  fallback_skip_reason: z.enum(FALLBACK_SKIP_REASONS).nullable(),
  candidates_total: z.int().min(0),
  candidates_excluded: z.int().min(0),
  candidates_scanned: z
    .int()
    .min(0)
    .meta({ description: 'Files in key order up to the last one whose events are in the answer; all, if it is not truncated.' }),
  lines_cut: z.int().min(0).meta({ description: 'Lines of the answer that were longer than a line may be.' }),
  truncation_assumed: z.boolean().meta({ description: 'Whether `truncated` is true only because nobody could look one event further (FR-LSI-TRUNC-01a).' }),
  elapsed_ms: z.int().min(0).optional().meta({ description: 'Best effort; absent in results that are recorded.' }),
});
export type ContentSearchStats = z.infer<typeof ContentSearchStats>;

export const ContentSearchAnswer = z
  .strictObject({
    pattern: z.string(),
    path: z.string().meta({ description: 'What was searched: relative to the order root, `.` for itself.' }),
    count: z.int().min(0).meta({ description: 'Number of events in `matches`.' }),
    matches: z.array(ContentSearchEvent).meta({ description: 'In the order of path, then of line.' }),
    truncated: z.boolean().meta({ description: 'Whether there are more events than these.' }),
    timed_out: z.boolean(),
    exit_code: z
      .int()
      .min(0)
      .max(2)
      .optional()
      .meta({ description: '0 with a match, 1 without one, 2 when some file could not be searched and none matched.' }),
    stderr: z.string().optional().meta({ description: 'A line for each file that could not be opened, in order.' }),
    content: z.string().meta({ description: 'The same for people, without control characters.' }),
    stats: ContentSearchStats.optional(),
  })
  .meta({ description: 'What a content search found.' });
export type ContentSearchAnswer = z.infer<typeof ContentSearchAnswer>;

/** The errors of the tool: what the request says is wrong, or what it asks for cannot be done. */
export const CONTENT_SEARCH_ERROR_CODES = ['BadArgs', 'ExecutionFailed'] as const;
export type ContentSearchErrorCode = (typeof CONTENT_SEARCH_ERROR_CODES)[number];
