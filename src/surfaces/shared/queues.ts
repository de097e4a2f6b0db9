import type { QueueAction, QueueSwitch, QueueView } from '../../contracts/index.ts';
import { audited } from '../../core/audited.ts';
import type { AuditLog, OperatorAction, QueueControl, QueueFigures } from '../../core/ports/index.ts';

/** A queue as HTTP, MCP and the command line show it. */
export function shownQueue({ oldestWaitingMs, ...figures }: QueueFigures): QueueView {
  const { queue, paused, waiting, active, delayed, completed, failed, workers } = figures;
  const counts = { waiting, active, delayed, completed, failed };
  return { queue, paused, ...counts, ...(oldestWaitingMs === undefined ? {} : { oldest_waiting_ms: oldestWaitingMs }), workers };
}

/** Who asks for it, on which surface. */
export type QueueOperator = Pick<OperatorAction, 'surface' | 'who'>;

/**
 * Pauses or resumes a queue, between two records of the audit log.
 *
 * @throws WritError NOT_FOUND, REDIS_UNAVAILABLE, STORAGE_UNAVAILABLE (the audit log; nothing was done)
 */
export function switchQueue(
  queue: string,
  action: QueueAction,
  operator: QueueOperator,
  services: { queues: QueueControl; audit: AuditLog },
): Promise<QueueSwitch> {
  const entry = { ...operator, action: `queue.${action}`, subject: queue } as const;
  return audited(
    services.audit,
    entry,
    () => services.queues.set(queue, action),
    ({ changed }) => ({ changed }),
  );
}

/**
 * Why a person may wait in vain, for the end of a sentence: a paused queue, else the question that is left. Never throws:
 * whoever waits is told something else already.
 */
export async function whyNothingCame(queues: () => Promise<Pick<QueueControl, 'paused'>>): Promise<string> {
  const paused = await namesOf(queues);
  const [first, ...others] = paused;
  if (first === undefined) return 'is a worker running? `writ status` shows it';
  if (others.length === 0) return `the queue ${first} is paused; \`writ queue resume ${first}\` lets it go on`;
  return `the queues ${paused.join(', ')} are paused; \`writ queue resume <queue>\` lets each go on`;
}

async function namesOf(queues: () => Promise<Pick<QueueControl, 'paused'>>): Promise<readonly string[]> {
  try {
    return await (await queues()).paused();
  } catch {
    return [];
  }
}
