import { BOUNDS, SEARCH_CAPABILITIES, type TaskManifest } from '../../contracts/index.ts';
import type { JsonObject } from '../../core/json.ts';
import { type Execution, failure, outputBytes, success } from '../../core/outcome.ts';
import type { Found, RunContext, Scanner, SearchScope, Task, TaskExecutor } from '../../core/ports/index.ts';
import { stopped, stopReason } from '../../core/stopped.ts';
import { parseTask, type SearchTask } from './inputs.ts';

export interface SearchExecutorOptions {
  /** The allow-list: scope identifier → what it stands for. Copied; later changes of the object have no effect. */
  readonly scopes: Readonly<Record<string, SearchScope>>;
  /** Runs scans; started and stopped by its owner. */
  readonly scanner: Pick<Scanner, 'scan'>;
  /** Wall-clock limit of one search, milliseconds. */
  readonly maxRunMs: number;
}

/**
 * The search executor (search-executor.md): literal, deterministic, read-only searches over allow-listed scopes. Keeps
 * nothing between two searches and touches no source before `execute`; it has no host memory, because a search has no
 * effect that could happen twice.
 */
export function createSearchExecutor({ scopes, scanner, maxRunMs }: SearchExecutorOptions): TaskExecutor {
  const allowed = new Map(Object.entries(scopes).map(([id, scope]) => [id, Object.freeze({ ...scope })]));
  return {
    capabilities: SEARCH_CAPABILITIES,
    maxRunMs,
    execute: (task, context) => execute(task, context, allowed, scanner),
  };
}

async function execute(
  { manifest }: Task,
  { signal, gate }: RunContext,
  scopes: ReadonlyMap<string, SearchScope>,
  scanner: Pick<Scanner, 'scan'>,
): Promise<Execution> {
  const parsed = parseTask(manifest, scopes);
  if (!parsed.ok) return { kind: 'outcome', outcome: parsed.error };
  const closed = gate();
  if (closed) return closed;
  const { scope, query, maxResults } = parsed.value;
  const answer = await scanner.scan({ scope, query, maxResults }, signal);
  const reason = stopReason(signal);
  if (reason) return stopped(reason);
  if (!answer.ok) return { kind: 'outcome', outcome: failure(answer.code, answer.message) };
  const output = outputOf(manifest, parsed.value, answer.found);
  const bytes = outputBytes(output);
  if (bytes <= BOUNDS.output) return { kind: 'outcome', outcome: success(output) };
  const message = `the ${answer.found.hits.length} results have ${bytes} bytes, and an answer has room for ${BOUNDS.output}; ask for fewer (max_results)`;
  return { kind: 'outcome', outcome: failure('RESOURCE_EXHAUSTED', message) };
}

/** The output of a SUCCESS (search-executor.md 8, 9). */
function outputOf(manifest: TaskManifest, { scopeId, maxResults }: SearchTask, { count, hits }: Found): JsonObject {
  return {
    task_id: manifest.task_id,
    capability_id: manifest.capability_id,
    target_scope: scopeId,
    results: hits.map(({ id, match_field, match_snippet }) => ({ id, match_field, match_snippet })),
    count,
    truncated: count > maxResults,
  };
}
