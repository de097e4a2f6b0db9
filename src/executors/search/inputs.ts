import { SEARCH_KIND, type TaskManifest } from '../../contracts/index.ts';
import { codePointLength } from '../../core/code-points.ts';
import { failure, type Outcome } from '../../core/outcome.ts';
import type { ScanRequest, SearchScope } from '../../core/ports/index.ts';
import { failed, ok, type Result } from '../../core/result.ts';

/** The longest query and the largest result set (search-executor.md 4). */
const MAX_QUERY = 4096;
const MAX_RESULTS = 1000;

/** The kind of scope that each capability searches (search-executor.md 7). */
const KINDS = new Map<string, SearchScope['kind']>(Object.entries(SEARCH_KIND));

const FIELDS: ReadonlySet<string> = new Set(['query', 'target_scope', 'max_results']);

/** A search that may run, and the identifier of its scope as the answer repeats it. */
export interface SearchTask extends ScanRequest {
  readonly scopeId: string;
}

/**
 * Judges capability, inputs and constraints of a manifest; touches no source.
 *
 * @returns the search, or the FAILURE that answers it, in this order: `UNSUPPORTED_CAPABILITY`, `INVALID_QUERY` (also for
 *   `max_results` and unknown inputs, for which the closed set has no code of their own), `SCOPE_NOT_ALLOWED`
 */
export function parseTask(manifest: TaskManifest, scopes: ReadonlyMap<string, SearchScope>): Result<SearchTask, Outcome> {
  const kind = KINDS.get(manifest.capability_id);
  if (kind === undefined) return no('UNSUPPORTED_CAPABILITY', 'the search executor does SEARCH_FILES, SEARCH_EMAILS and SEARCH_DATASETS only');

  const { inputs, constraints } = manifest;
  for (const name of Object.keys(inputs)) {
    if (!FIELDS.has(name)) return no('INVALID_QUERY', `inputs has a field that ${manifest.capability_id} does not know: ${JSON.stringify(name)}`);
  }
  const query = own(inputs, 'query');
  if (typeof query !== 'string') return no('INVALID_QUERY', 'inputs.query is required and must be a string');
  if (!query.isWellFormed()) return no('INVALID_QUERY', 'inputs.query has a lone surrogate, which no UTF-8 text has');
  const trimmed = trim(query);
  if (trimmed === '') return no('INVALID_QUERY', 'inputs.query is empty');
  if (codePointLength(trimmed) > MAX_QUERY) return no('INVALID_QUERY', `inputs.query is longer than ${MAX_QUERY} code points`);
  const maxResults = own(inputs, 'max_results');
  if (typeof maxResults !== 'number' || !Number.isInteger(maxResults) || maxResults < 1 || maxResults > MAX_RESULTS) {
    return no('INVALID_QUERY', `inputs.max_results is required and must be an integer from 1 to ${MAX_RESULTS}`);
  }

  const scopeId = own(inputs, 'target_scope');
  if (typeof scopeId !== 'string') return no('SCOPE_NOT_ALLOWED', 'inputs.target_scope is required and must be a string');
  const scope = scopes.get(scopeId);
  // What other scopes there are is nobody's business who may not search them.
  if (scope === undefined || scope.kind !== kind) return no('SCOPE_NOT_ALLOWED', `inputs.target_scope is not an allowed scope of ${manifest.capability_id}`);
  if (constraints.scope !== undefined && constraints.scope !== scopeId)
    return no('SCOPE_NOT_ALLOWED', 'constraints.scope must be the identifier in inputs.target_scope, or left out');
  return ok({ scope, scopeId, query: trimmed, maxResults });
}

function own(inputs: TaskManifest['inputs'], name: string): unknown {
  return Object.hasOwn(inputs, name) ? inputs[name] : undefined;
}

const WHITE_SPACE = /^\p{White_Space}$/u;

/** Without leading and trailing white space as Unicode has it; `String.trim` has a list of its own (no U+0085, but U+FEFF). */
function trim(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && WHITE_SPACE.test(text.charAt(start))) start += 1;
  while (end > start && WHITE_SPACE.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function no(code: Parameters<typeof failure>[0], message: string): Result<never, Outcome> {
  return failed(failure(code, message));
}
