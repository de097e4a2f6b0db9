import { type Parts, taskIdOf } from './parts.ts';

/**
 * A cancel that was asked, and not too late, is heeded: no attempt of the task begins anew until somebody asks for one, whatever attempts
 * its producer gave it. Where Redis was lost nobody may remember the cancel, where somebody writes rows of his own they say otherwise,
 * and a duplicate that waits beside the job is an ask of its own.
 */
export function watchTaskCancels({ world, redis, checker, reached, tickets }: Parts): void {
  const watched = new Set(tickets.filter(({ task }) => task.duplicates === 0).map(({ id }) => id));
  const cancelled = new Set<string>();
  const { ledger } = redis;
  const { cancel, claim, clearCancel } = ledger;
  Object.assign(ledger, {
    async cancel(...args: Parameters<typeof cancel>) {
      const answer = await cancel(...args);
      if (answer === 'requested') cancelled.add(args[0]);
      return answer;
    },
    async claim(request: Parameters<typeof claim>[0]) {
      const answer = await claim(request);
      if (!watched.has(request.taskId) || !cancelled.has(request.taskId)) return answer;
      if (answer.kind === 'cancelled') reached.add('cancel:heeded');
      if (answer.kind === 'new' && redis.losses === 0 && !isForged())
        checker.violate('a cancel is heeded', `${request.taskId} was begun anew when it had been cancelled`);
      return answer;
    },
    async clearCancel(...args: Parameters<typeof clearCancel>) {
      cancelled.delete(args[0]);
      return clearCancel(...args);
    },
  });
  const isForged = (): boolean => [...world.struck.keys()].some((kind) => kind.startsWith('forge-'));
  const asked = (data: unknown): void => void (world.caller?.mortal === false && cancelled.delete(taskIdOf(data)));
  for (const queue of redis.queues.values()) {
    const add = queue.add.bind(queue);
    const retry = queue.retry.bind(queue);
    Object.assign(queue, {
      add(...args: Parameters<typeof add>) {
        asked(args[1]);
        return add(...args);
      },
      retry(...args: Parameters<typeof retry>) {
        asked(queue.jobs.get(args[0])?.data);
        retry(...args);
      },
    });
  }
}
