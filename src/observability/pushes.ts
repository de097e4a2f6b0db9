import type { TaskJob } from '../contracts/index.ts';
import type { Enqueue, Plans, Receipt } from '../core/ports/index.ts';
import { parseTraceparent, type TraceContext } from '../core/trace-context.ts';
import type { LabelsOf } from './events.ts';
import type { Metrics } from './metrics.ts';
import { told } from './tracing/calls.ts';
import { capabilityName } from './tracing/capability-name.ts';
import type { Span, SpanAttributes, Tracer } from './tracing/tracer.ts';

const PUBLISH = { 'messaging.system': 'bullmq', 'messaging.operation.name': 'publish', 'messaging.operation.type': 'send' } as const;
const CREATE = { 'messaging.system': 'bullmq', 'messaging.operation.name': 'create', 'messaging.operation.type': 'create' } as const;

type Submission = LabelsOf<'writ_tasks_submitted_total'>;

const OUTCOMES = {
  accepted: 'accepted',
  'in-flight': 'in_flight',
  retried: 'retried',
  finished: 'finished',
  conflict: 'conflict',
} as const satisfies Record<Receipt['kind'], Submission['outcome']>;

/** Whose pushes are counted, and where. */
export interface PushCounting {
  readonly metrics: Metrics;
  readonly surface: Submission['surface'];
}

export interface PushTracing {
  /** `undefined`: tracing is off. */
  readonly tracer: Tracer | undefined;
  /** The queue of a job that names none. */
  readonly queueOf: (job: TaskJob) => string;
  /**
   * Whose child a push is when both are there: `job`, the context that the job brought (a producer's own), or `active`,
   * the span around the push (a plan's steps carry the context of the plan, which is above that span already).
   */
  readonly prefer: 'job' | 'active';
}

/** The same port, its pushes counted and traced. The very same one when neither is wanted. */
export function observePushes<T extends Enqueue>(enqueue: T, { count, trace }: { readonly count?: PushCounting; readonly trace?: PushTracing }): T {
  const port = count === undefined ? enqueue : counted(enqueue, count);
  return trace === undefined ? port : traced(port, trace);
}

/** Every push and retry is counted by what became of it. */
function counted<T extends Enqueue>(enqueue: T, { metrics, surface }: PushCounting): T {
  const count = (outcome: Submission['outcome'], by = 1): void => metrics.inc('writ_tasks_submitted_total', { surface, outcome }, by);
  const answered = async <R>(tasks: number, work: Promise<R>, receipts: (answer: R) => readonly Submission['outcome'][]): Promise<R> => {
    try {
      const answer = await work;
      for (const outcome of receipts(answer)) count(outcome);
      return answer;
    } catch (error) {
      count('rejected', tasks);
      throw error;
    }
  };
  return {
    ...enqueue,
    push: (job, options) => answered(1, enqueue.push(job, options), ({ kind }) => [OUTCOMES[kind]]),
    pushMany: (jobs, options) => answered(jobs.length, enqueue.pushMany(jobs, options), (all) => all.map(({ kind }) => OUTCOMES[kind])),
    retry: (taskId, options) => answered(1, enqueue.retry(taskId, options), ({ kind }) => [kind === 'retried' ? 'retried' : 'rejected']),
  };
}

/** Every push has a span, and the jobs carry the context of theirs. */
function traced<T extends Enqueue>(enqueue: T, { tracer, queueOf, prefer }: PushTracing): T {
  if (tracer === undefined) return enqueue;
  return {
    ...enqueue,
    push: (job, options) => {
      const queue = options?.queue ?? queueOf(job);
      const start = startOf(job.traceparent, tracer.active, prefer);
      return tracer.span('publish', { ...start, attributes: { ...PUBLISH, 'messaging.destination.name': queue, ...facts(job) } }, async (span) => {
        const receipt = told(span, await enqueue.push({ ...job, traceparent: span.traceparent }, options));
        if ('jobId' in receipt) span.set({ 'messaging.message.id': receipt.jobId });
        return receipt;
      });
    },
    pushMany: (jobs, options) =>
      tracer.span('publish', { attributes: { ...PUBLISH, 'messaging.batch.message_count': jobs.length } }, async (span) =>
        enqueue.pushMany(
          jobs.map((job) => {
            const queue = options?.queue ?? queueOf(job);
            const attributes = { ...CREATE, 'messaging.destination.name': queue, ...facts(job) };
            // A trace of its own: that of a million tasks together would be none that anybody can look at.
            const created = tracer.mark('create', { parent: parseTraceparent(job.traceparent) ?? 'none', links: [span], attributes });
            return { ...job, traceparent: created.traceparent };
          }),
          options,
        ),
      ),
  };
}

function facts({ manifest }: TaskJob): SpanAttributes {
  return { 'writ.task.id': manifest.task_id, 'writ.plan.id': manifest.provenance?.plan_sha256, 'writ.capability': capabilityName(manifest.capability_id) };
}

/** The same for plans. */
export function tracePlanPushes(plans: Plans, queue: string, tracer: Tracer | undefined): Plans {
  if (tracer === undefined) return plans;
  return {
    ...plans,
    push: (job, options) =>
      tracer.span(
        'publish',
        { ...startOf(job.traceparent, tracer.active, 'job'), attributes: { ...PUBLISH, 'messaging.destination.name': queue } },
        async (span) => {
          const receipt = told(span, await plans.push({ ...job, traceparent: span.traceparent }, options));
          span.set({ 'writ.plan.id': receipt.id, ...('jobId' in receipt ? { 'messaging.message.id': receipt.jobId } : {}) });
          return receipt;
        },
      ),
  };
}

function startOf(
  traceparent: string | undefined,
  active: Span | undefined,
  prefer: PushTracing['prefer'],
): { readonly parent?: TraceContext; readonly links?: readonly TraceContext[] } {
  const own = prefer === 'active' && active !== undefined ? undefined : parseTraceparent(traceparent);
  if (own === undefined) return {};
  return { parent: own, ...(active === undefined || active.traceId === own.traceId ? {} : { links: [active] }) };
}
