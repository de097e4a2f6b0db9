import type { InputsOf, ManifestOf, OutputOf } from './capabilities.ts';
import { WritTaskError } from './errors.ts';
import { randomId } from './random-id.ts';
import type { CallOptions, TasksApi } from './tasks.ts';

type SearchId = 'SEARCH_FILES' | 'SEARCH_EMAILS' | 'SEARCH_DATASETS';

export interface SearchOptions extends CallOptions {
  /** Milliseconds until WritTimeoutError; 60,000 unless given. The search goes on. */
  readonly timeoutMs?: number;
  /** Identifier of the task; random unless given. The same identifier gives the same answer again. */
  readonly taskId?: string;
  /** The lease for exactly this search and `taskId`; without it the kernel issues one, which needs the role `kernel` as well. */
  readonly lease?: string;
}

/** Searches by task: each is pushed and waited for, and answers what was found. Throws WritTaskError when the search failed. */
export interface SearchApi {
  files(inputs: InputsOf<'SEARCH_FILES'>, options?: SearchOptions): Promise<OutputOf<'SEARCH_FILES'>>;
  emails(inputs: InputsOf<'SEARCH_EMAILS'>, options?: SearchOptions): Promise<OutputOf<'SEARCH_EMAILS'>>;
  datasets(inputs: InputsOf<'SEARCH_DATASETS'>, options?: SearchOptions): Promise<OutputOf<'SEARCH_DATASETS'>>;
}

const TIMEOUT_MS = 60_000;
/** Longest wait of the request that pushes, seconds. */
const FIRST_WAIT_S = 30;

export function createSearch(tasks: TasksApi): SearchApi {
  return {
    files: (inputs, options) => search('SEARCH_FILES', inputs, options),
    emails: (inputs, options) => search('SEARCH_EMAILS', inputs, options),
    datasets: (inputs, options) => search('SEARCH_DATASETS', inputs, options),
  };

  async function search<C extends SearchId>(capability: C, inputs: InputsOf<C>, options: SearchOptions = {}): Promise<OutputOf<C>> {
    const { timeoutMs = TIMEOUT_MS, taskId = `search-${randomId()}`, lease, signal } = options;
    const end = performance.now() + timeoutMs;
    // Searches have no constraints.
    const manifest = { task_id: taskId, capability_id: capability, inputs, constraints: {} } as ManifestOf<C>;
    const pass = signal === undefined ? {} : { signal };
    const wait = Math.min(FIRST_WAIT_S, timeoutMs / 1000);
    const submitted = await tasks.submit<C>(manifest, { wait, ...(lease === undefined ? { sign: true } : { lease }), ...pass });
    const task = submitted.ended ? submitted.task : await tasks.result<C>(taskId, { timeoutMs: Math.max(0, end - performance.now()), ...pass });
    if (task.result?.status === 'SUCCESS') return task.result.output;
    throw new WritTaskError(taskId, task.result?.error.error_code, task.result?.error.message ?? task.message ?? 'failed without a result');
  }
}
