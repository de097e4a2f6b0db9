import type { TaskJob } from '../../contracts/index.ts';
import type { Enqueue, Plans } from '../../core/ports/index.ts';
import { parseTraceparent, type TraceContext } from '../../core/trace-context.ts';
import { told } from './calls.ts';
import { capabilityName } from './capability-name.ts';
import type { Span, SpanAttributes, Tracer } from './tracer.ts';

const PUBLISH = { 'messaging.system': 'bullmq', 'messaging.operation.name': 'publish', 'messaging.operation.type': 'send' } as const;
const CREATE = { 'messaging.system': 'bullmq', 'messaging.operation.name': 'create', 'messaging.operation.type': 'create' } as const;

export interface PushTracing {
  /** The queue of a job that names none. */
  readonly queueOf: (capabilityId: string) => string;
  /**
   * Whose child a push is when both are there: `job`, the context that the job brought (a producer's own), or `active`,
   * the span around the push (a plan's steps carry the context of the plan, which is above that span already).
   */
  readonly prefer: 'job' | 'active';
}

/** The port as it is, with a span for each push; jobs carry the context of theirs. The very same port when tracing is off. */
export function tracePushes<T extends Enqueue>(enqueue: T, tracer: Tracer | undefined, { queueOf, prefer }: PushTracing): T {
  if (tracer === undefined) return enqueue;
  return {
    ...enqueue,
    push: (job, options) => {
      const queue = options?.queue ?? queueOf(job.manifest.capability_id);
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
            const queue = options?.queue ?? queueOf(job.manifest.capability_id);
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
    push: (job) =>
      tracer.span(
        'publish',
        { ...startOf(job.traceparent, tracer.active, 'job'), attributes: { ...PUBLISH, 'messaging.destination.name': queue } },
        async (span) => {
          const receipt = told(span, await plans.push({ ...job, traceparent: span.traceparent }));
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
