import { type Parts, put, taskIdOf } from '../parts.ts';
import { SimProcess } from '../scheduler.ts';
import type { TaskIndexTwin } from './task-index.ts';

/** The index hears of ends in the queue and in the ledger. */
export function hearEnds({ redis, tickets }: Parts, index: TaskIndexTwin): void {
  const capabilityOf = (taskId: string): string => tickets.find(({ id }) => id === taskId)?.manifest.capability_id ?? 'FILE_MOVE';
  const hear = (taskId: string, state: 'success' | 'failure'): void => {
    if (taskId !== '') index.hear(taskId, capabilityOf(taskId), state);
  };
  const { record } = redis.ledger;
  const heard: typeof record = async (request) => {
    const answer = await record(request);
    if (answer === 'recorded' || answer === 'awaited') hear(request.taskId, request.status === 'SUCCESS' ? 'success' : 'failure');
    return answer;
  };
  Object.assign(redis.ledger, { record: heard });
  for (const queue of redis.queues.values()) {
    const complete = queue.complete.bind(queue);
    const fail = queue.fail.bind(queue);
    Object.assign(queue, {
      complete(...args: Parameters<typeof complete>) {
        complete(...args);
        hear(taskIdOf(queue.jobs.get(args[0])?.data), 'success');
      },
      fail(...args: Parameters<typeof fail>) {
        const end = fail(...args);
        if (queue.jobs.get(args[0])?.state === 'failed') hear(taskIdOf(queue.jobs.get(args[0])?.data), 'failure');
        return end;
      },
    });
  }
}

const AGAIN_MS = 700;
const MAX_LOOKS = 20;

/** Somebody puts the missing file there when the first task has failed for it, and pushes the task once more. */
export function retryFirst(parts: Parts): void {
  const { world, open, tickets, pushAgain, redis } = parts;
  const [ticket] = tickets;
  if (ticket?.task.trap !== 'source-missing' || ticket.source === undefined) return;
  const { source } = ticket;
  const process = new SimProcess('retrier', world.scheduler, { mortal: false });
  open.producers += 1;
  const work = async (): Promise<void> => {
    const hasFailed = (): boolean =>
      pushAgain.has(ticket.id) && [...redis.queue(ticket.queue).jobs.values()].some(({ state, data }) => state === 'failed' && taskIdOf(data) === ticket.id);
    for (let looks = 0; looks < MAX_LOOKS && !hasFailed(); looks += 1) await world.wait(process, AGAIN_MS);
    // The failure is noted meanwhile, and perhaps on its way.
    await world.wait(process, AGAIN_MS);
    put(parts, source, ticket.content);
    pushAgain.get(ticket.id)?.();
    open.producers -= 1;
  };
  world.scheduler.at(0, process, () => void work());
}
