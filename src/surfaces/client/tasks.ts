import { type BulkOptions, type BulkTotals, submitMany } from './bulk.ts';
import type { CapabilityId, ManifestOf, OutputOf } from './capabilities.ts';
import { WritTimeoutError } from './errors.ts';
import { type RetriedTasks, type Retryable, type RetryManyOptions, type RetryPlansOptions, retryable, retryMany } from './retry-many.ts';
import { queryOf, type SubmitTerms } from './submit-terms.ts';
import type { Transport } from './transport.ts';
import type {
  BulkReceipt,
  BulkRetryLine,
  CancelAnswer,
  DryRun,
  RetryAnswer,
  TaskFilter,
  TaskPage,
  TaskReceipt,
  TaskRecord,
  TaskSubmission,
  TaskView,
  UndoAnswer,
} from './types.ts';

export interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface WaitOptions extends CallOptions {
  /** Seconds that the server may wait for the outcome; it grants at most its `http.max_wait_s` (60). */
  readonly wait?: number;
}

export interface SubmitOptions extends WaitOptions, SubmitTerms {
  /** The lease for exactly this manifest. */
  readonly lease?: string;
  readonly traceparent?: string;
}

/** `ended`: the task has its outcome. `replayed`: the server knew the same task already; nothing was queued. */
export type Submitted<C extends CapabilityId = CapabilityId> =
  | { readonly ended: true; readonly replayed: boolean; readonly task: TaskView<OutputOf<C>> }
  | { readonly ended: false; readonly replayed: boolean; readonly receipt: TaskReceipt };

/** The answer to an operator's action: what was begun or, after a wait, the task that has ended. */
export type Acted<Begun> = { readonly ended: false; readonly answer: Begun } | { readonly ended: true; readonly task: TaskView };

export interface TasksApi {
  /** Pushes one task. Another push of the same task has no further effect. */
  submit<C extends CapabilityId>(manifest: ManifestOf<C>, options: SubmitOptions): Promise<Submitted<C>>;
  /** What a push of this task would meet now; nothing is queued, signed or recorded. */
  dryRun(manifest: ManifestOf<CapabilityId>, options?: CallOptions & Pick<SubmitOptions, 'lease' | 'queue' | 'sign'>): Promise<DryRun>;
  /** Pushes many tasks; a receipt per task, in order. */
  submitMany(tasks: Iterable<TaskSubmission> | AsyncIterable<TaskSubmission>, options?: BulkOptions): AsyncGenerator<BulkReceipt, BulkTotals>;
  /** The state of a task; with `wait`, once it has ended or the wait is over. */
  get<C extends CapabilityId = CapabilityId>(taskId: string, options?: WaitOptions): Promise<TaskView<OutputOf<C>>>;
  /** The task when it has ended (`success` or `failure`). Throws WritTimeoutError after `timeoutMs`; without it, waits for ever. */
  result<C extends CapabilityId = CapabilityId>(taskId: string, options?: CallOptions & { readonly timeoutMs?: number }): Promise<TaskView<OutputOf<C>>>;
  /** Tasks of the index, newest change first, fetched page by page as they are read. */
  list(filter?: TaskFilter, options?: CallOptions & { readonly pageSize?: number }): AsyncGenerator<TaskRecord, void>;
  /** One page of the same; `cursor` is `next` of the page before. */
  page(filter: TaskFilter, options?: CallOptions & { readonly cursor?: string; readonly limit?: number }): Promise<TaskPage>;
  /** Runs a failed task again. `regrant`: `true` under a new lease, `false` never; the server decides unless given. */
  retry(taskId: string, options?: WaitOptions & { readonly regrant?: boolean }): Promise<Acted<RetryAnswer>>;
  /** Runs every failed task that the filter finds again: a line for each, then the counts. Leaving the loop ends the run. */
  retryMany(filter: TaskFilter, options?: RetryManyOptions): AsyncGenerator<BulkRetryLine, RetriedTasks>;
  /** How many tasks `retryMany` would be about. */
  retryable(filter: TaskFilter, options?: RetryPlansOptions): Promise<Retryable<TaskFilter>>;
  /** Takes back the effect of a task. After a wait, `task` is that of the undo. */
  undo(taskId: string, options?: WaitOptions): Promise<Acted<UndoAnswer>>;
  cancel(taskId: string, options?: WaitOptions): Promise<CancelAnswer>;
}

/** One round of waiting in `result`, seconds. */
const ROUND_S = 30;

export function createTasks(transport: Transport): TasksApi {
  const tasks: TasksApi = {
    async submit<C extends CapabilityId>(manifest: ManifestOf<C>, { lease, traceparent, wait, signal, ...terms }: SubmitOptions) {
      const query = queryOf(terms);
      const json: TaskSubmission = { manifest, ...(lease === undefined ? {} : { lease }), ...(traceparent === undefined ? {} : { traceparent }) };
      const answer = await transport.json<unknown>({ method: 'POST', path: '/v1/tasks', query, json, wait, signal, repeatable: true });
      const replayed = answer.headers.get('idempotency-replayed') === 'true';
      if (answer.status === 200) return { ended: true, replayed, task: answer.body as TaskView<OutputOf<C>> };
      return { ended: false, replayed, receipt: answer.body as TaskReceipt };
    },
    async dryRun(manifest, { lease, queue, sign, signal } = {}) {
      const query = { dry_run: 'true', queue, sign: sign === true ? 'true' : undefined };
      const json: TaskSubmission = { manifest, ...(lease === undefined ? {} : { lease }) };
      return (await transport.json<DryRun>({ method: 'POST', path: '/v1/tasks', query, json, signal, repeatable: true })).body;
    },
    submitMany: (source, options = {}) => submitMany(source, options, transport),
    async get(taskId, { wait, signal } = {}) {
      return (await transport.json<TaskView<never>>({ method: 'GET', path: pathOf(taskId), wait, signal, repeatable: true })).body;
    },
    async result<C extends CapabilityId>(taskId: string, { timeoutMs = Number.POSITIVE_INFINITY, signal }: CallOptions & { timeoutMs?: number } = {}) {
      const end = performance.now() + timeoutMs;
      for (;;) {
        const left = (end - performance.now()) / 1000;
        const wait = Math.max(0, Math.min(ROUND_S, left));
        const view = await tasks.get<C>(taskId, { wait, ...(signal === undefined ? {} : { signal }) });
        if (view.state === 'success' || view.state === 'failure') return view;
        if (performance.now() >= end) throw new WritTimeoutError(taskId, timeoutMs, view.queue_paused === true ? view.queue : undefined);
      }
    },
    async *list(filter = {}, { pageSize, signal } = {}) {
      let cursor: string | undefined;
      do {
        const page = await pageOf(filter, { limit: pageSize, cursor, signal });
        yield* page.tasks;
        cursor = page.next;
      } while (cursor !== undefined);
    },
    page: (filter, options = {}) => pageOf(filter, options),
    retry: (taskId, { regrant, ...options } = {}) => act(taskId, 'retry', options, regrant === undefined ? undefined : { regrant }),
    retryMany: (filter, options = {}) => retryMany('/v1/tasks/retry', filter, options, transport.settings),
    retryable: (filter, options = {}) => retryable('/v1/tasks/retry', filter, options, transport.settings),
    undo: (taskId, options = {}) => act(taskId, 'undo', options),
    async cancel(taskId, { wait, signal } = {}) {
      return (await transport.json<CancelAnswer>({ method: 'POST', path: `${pathOf(taskId)}/cancel`, wait, signal, repeatable: false })).body;
    },
  };

  async function pageOf(
    filter: TaskFilter,
    { signal, ...part }: { readonly cursor?: string | undefined; readonly limit?: number | undefined; readonly signal?: AbortSignal | undefined },
  ): Promise<TaskPage> {
    return (await transport.json<TaskPage>({ method: 'GET', path: '/v1/tasks', query: { ...filter, ...part }, signal, repeatable: true })).body;
  }

  /** Sends an action once: the first may have been carried out, and a second would be another action. */
  async function act<Begun>(taskId: string, action: string, { wait, signal }: WaitOptions, json?: object): Promise<Acted<Begun>> {
    const { status, body } = await transport.json<unknown>({ method: 'POST', path: `${pathOf(taskId)}/${action}`, json, wait, signal, repeatable: false });
    return status === 200 ? { ended: true, task: body as TaskView } : { ended: false, answer: body as Begun };
  }
  return tasks;
}

function pathOf(taskId: string): string {
  return `/v1/tasks/${encodeURIComponent(taskId)}`;
}
