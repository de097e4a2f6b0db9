import type { ContentSearchAnswer, ContentSearchRequest } from './content-types.ts';
import type { TaskConstraints, TaskManifest, TaskProvenance } from './types.ts';

/** What each capability takes and what its SUCCESS says. A capability of your own is added by declaration merging. */
export interface Capabilities {
  FILE_MOVE: {
    inputs: { source_path: string; destination_path: string };
    output: FileOutput<{ source: string; destination: string; bytes: number }> & { undo_metadata: { original_path: string } };
  };
  FILE_COPY: {
    inputs: { source_path: string; destination_path: string };
    output: FileOutput<{ source: string; destination: string; bytes: number; sha256?: string }>;
  };
  FILE_DELETE: {
    inputs: { source_path: string };
    /** A delete must be reversible. */
    constraints: { reversible: true };
    output: FileOutput<{ source: string; bytes: number }> & { undo_metadata: { original_path: string; recovery_path: string } };
  };
  SEARCH_FILES: { inputs: SearchInputs; output: SearchOutput<'filename'> };
  SEARCH_EMAILS: { inputs: SearchInputs; output: SearchOutput<'from' | 'to' | 'subject' | 'body'> };
  /** `match_field` is the name of the first matching string field. */
  SEARCH_DATASETS: { inputs: SearchInputs; output: SearchOutput<string> };
  /** The answer without `stats.elapsed_ms`: a recorded result has no time in it. */
  CONTENT_SEARCH: { inputs: ContentSearchRequest; output: ContentSearchAnswer };
}

/** (A type, not an interface: those lack the index signature of `TaskManifest.inputs`.) The query has 1 to 4096 code points after trimming; `max_results` is 1 to 1000; nothing has a default. */
export type SearchInputs = { query: string; target_scope: string; max_results: number };

/** `count` counts all matches, `results` are the first `max_results` of them in order. */
export interface SearchOutput<Field extends string> {
  task_id: string;
  capability_id: string;
  target_scope: string;
  results: { id: string; match_field: Field; match_snippet: string }[];
  count: number;
  truncated: boolean;
}

/** Paths are absolute and normalized, `bytes` is the size of the source. */
export interface FileOutput<Summary> {
  task_id: string;
  capability_id: string;
  result_summary: Summary;
}

export type CapabilityId = keyof Capabilities;
export type InputsOf<C extends CapabilityId> = Capabilities[C]['inputs'];
export type OutputOf<C extends CapabilityId> = Capabilities[C]['output'];
export type ConstraintsOf<C extends CapabilityId> = TaskConstraints & (Capabilities[C] extends { constraints: infer Needed } ? Needed : unknown);

/** A manifest of a known capability. No default is filled in: a lease is for exactly these values. */
export interface ManifestOf<C extends CapabilityId> extends TaskManifest {
  capability_id: C;
  inputs: InputsOf<C>;
  constraints: ConstraintsOf<C>;
  provenance?: TaskProvenance | undefined;
}
