import { parseTraceparent } from '../../core/trace-context.ts';
import type { Attempt, DeliveryReport } from '../deliveries.ts';
import type { PlanReport } from '../plans.ts';
import { capabilityName } from './capability-name.ts';
import type { Tracer } from './tracer.ts';

/** What a queue hands over, as far as a span tells it. */
export interface TracedDelivery {
  readonly data: unknown;
  readonly queue: string;
  readonly jobId: string;
  readonly attempt: Attempt;
  /** A step of a plan that runs in this process: nobody has pushed it. */
  readonly isLocal?: boolean;
}

/** Around each delivery of a job. */
export type AroundDelivery = <T>(delivery: TracedDelivery, work: () => Promise<T>) => Promise<T>;

/** No job is older than this; a raw producer may write any time into its job. */
const OLDEST_MS = 400 * 86_400_000;

/** A span for each delivery, below the one of whoever pushed the job; before the first, one for the wait. Of a local step below the plan's. */
export function traceDeliveries(tracer: Tracer | undefined): AroundDelivery {
  if (tracer === undefined) return (_delivery, work) => work();
  return ({ data, queue, jobId, attempt, isLocal = false }, work) => {
    // Of the job as a stranger wrote it: nothing else in it has been looked at yet.
    const parent = parseTraceparent(typeof data === 'object' && data !== null ? Reflect.get(data, 'traceparent') : undefined) ?? 'none';
    const destination = { 'messaging.destination.name': queue } as const;
    const { addedAt, fetchedAt, started, failed, failures } = attempt;
    const waited = fetchedAt - addedAt;
    if (!isLocal && parent !== 'none' && started <= 1 && failed === 0 && failures === 0 && waited >= 0 && waited < OLDEST_MS)
      tracer.mark('wait', { parent, attributes: destination, from: addedAt, to: fetchedAt });
    const attributes = {
      'messaging.system': 'bullmq',
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      ...destination,
      'messaging.message.id': jobId,
      'writ.attempt': started,
    } as const;
    return tracer.span('process', { ...(isLocal ? {} : { parent }), attributes }, work);
  };
}

/** What the delivery around the caller was about, and how it ended. */
export function traceDelivery(tracer: Tracer | undefined, { taskId, planId, capability, end, replayed, takeovers, code }: DeliveryReport): void {
  const span = tracer?.active;
  span?.set({
    'writ.task.id': taskId,
    'writ.plan.id': planId,
    'writ.capability': capability === undefined ? undefined : capabilityName(capability),
    'writ.end': end,
    'writ.replayed': replayed,
    'writ.takeovers': takeovers,
  });
  const error = code ?? ENDS_WITHOUT_CODE[end];
  if (error !== undefined) span?.fail(error);
}

/** The same for the delivery of a plan. */
export function tracePlan(tracer: Tracer | undefined, { planSha256, end, replayed, code }: PlanReport): void {
  const span = tracer?.active;
  span?.set({ 'writ.plan.id': planSha256, 'writ.end': end, 'writ.replayed': replayed });
  const error = code ?? ENDS_WITHOUT_CODE[end];
  if (error !== undefined) span?.fail(error);
}

const ENDS_WITHOUT_CODE: Readonly<Record<string, string | undefined>> = { malformed: 'INVALID_MANIFEST', refused: 'INVALID_LEASE', crashed: 'INTERNAL' };
