/** A search in the contents of files, and its answer (docs/content-search.md). */

/** (A type, not an interface: those lack the index signature of `TaskManifest.inputs`.) Only the pattern is required. */
export type ContentSearchRequest = {
  /** A regular expression of the backend, or literal text with `fixed_strings`; one line. */
  pattern: string;
  /** Directory or file; the first allowed root unless given. */
  path?: string | undefined;
  case?: 'smart' | 'sensitive' | 'insensitive' | undefined;
  fixed_strings?: boolean | undefined;
  word_regexp?: boolean | undefined;
  hidden?: boolean | undefined;
  follow?: boolean | undefined;
  no_ignore?: boolean | undefined;
  glob?: string[] | undefined;
  /** Lines before and after each match. */
  context?: number | undefined;
  /** Most events: matches and context lines together. */
  max_results?: number | undefined;
  timeout_ms?: number | undefined;
  /** Edits that are forgiven, 1 to 4. */
  fuzzy?: number | undefined;
};

export interface ContentSearchEvent {
  type: 'match' | 'context';
  data: { path: { text: string }; line_number: number; lines: { text: string } };
}

export interface ContentSearchAnswer {
  pattern: string;
  path: string;
  /** The number of events. */
  count: number;
  /** Events by path, then by line. */
  matches: ContentSearchEvent[];
  truncated: boolean;
  timed_out: boolean;
  exit_code?: number | undefined;
  stderr?: string | undefined;
  /** The events as text for people. */
  content: string;
  stats?: ContentSearchStats | undefined;
}

export interface ContentSearchStats {
  stats_version: 1;
  backend_id: string;
  index_safety_state: 'ABSENT' | 'BUILDING' | 'COMPLETE' | 'UNCERTAIN' | 'CORRUPT' | 'DISABLED';
  index_uncertain_reason: string | null;
  index_exclusion_used: boolean;
  index_bypass: string | null;
  index_guarantee: 'inotify' | 'stat' | 'none';
  storage_mode: 'memory' | 'sqlite' | 'none';
  storage_fallback_reason: string | null;
  fallback_used: boolean;
  fallback_reason: 'LITERAL_NO_MATCHES' | 'INDEX_OFF' | 'INDEX_UNAVAILABLE' | 'CAPABILITY_MISSING' | null;
  fuzzy_levels_tried: number[];
  fallback_passes_skipped: number;
  fallback_skip_reason: 'PATTERN_TOO_SHORT' | 'TIME_BUDGET' | 'BACKEND_NOT_FUZZY' | 'UNREADABLE_FILES' | null;
  candidates_total: number;
  candidates_excluded: number;
  candidates_scanned: number;
  lines_cut: number;
  truncation_assumed: boolean;
  elapsed_ms?: number | undefined;
}
