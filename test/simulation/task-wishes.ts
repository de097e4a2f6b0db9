import { MAX_WISHES } from '../../src/adapters/memory/ledger.ts';
import { ExecutionResult, FAILURES_OF_ONE_LEASE } from '../../src/contracts/index.ts';
import { NO_LONGER_KEPT } from './checker.ts';
import { type Parts, taskIdOf } from './parts.ts';
import { PLAN_QUEUE } from './twins/kernel.ts';

/**
 * A task that has failed is run again only when somebody asks: adds another job of it, or has given its job attempts. Where Redis was
 * lost nobody may remember that it had failed, and where somebody writes rows of his own, they say otherwise. Of more asks than
 * a row remembers the oldest is forgotten: whose job comes back then, runs once more.
 */
export function watchTaskWishes({ world, redis, checker, tickets }: Parts): () => void {
  const asks = new Map<string, number>();
  const ask = (taskId: string): void => void asks.set(taskId, (asks.get(taskId) ?? 0) + 1);
  for (const queue of redis.queues.values()) {
    if (queue.name === PLAN_QUEUE) continue;
    const add = queue.add.bind(queue);
    const fail = queue.fail.bind(queue);
    const retry = queue.retry.bind(queue);
    Object.assign(queue, {
      add(...args: Parameters<typeof add>) {
        const before = queue.jobs.size;
        const id = add(...args);
        if (queue.jobs.size > before && world.caller?.mortal === false) ask(taskIdOf(args[1]));
        return id;
      },
      retry(...args: Parameters<typeof retry>) {
        retry(...args);
        if (world.caller?.mortal === false) ask(taskIdOf(queue.jobs.get(args[0])?.data));
      },
      fail(...args: Parameters<typeof fail>) {
        const end = fail(...args);
        if (end === 'again') ask(taskIdOf(queue.jobs.get(args[0])?.data));
        return end;
      },
    });
  }
  const isForged = (): boolean => [...world.struck.keys()].some((kind) => kind.startsWith('forge-'));
  return () => {
    if (redis.losses > 0 || isForged()) return;
    for (const { id, lease } of tickets) {
      // That a task was done long ago is told from the journal, and nothing runs.
      const outcomes = checker
        .recorded(id)
        .filter(({ manifestSha256, result }) => manifestSha256 === lease.manifest_sha256 && !result.includes(NO_LONGER_KEPT));
      const runs = outcomes.filter(({ result }) => !FAILURES_OF_ONE_LEASE.has(ExecutionResult.parse(JSON.parse(result)).error?.error_code ?? ''));
      const asked = asks.get(id) ?? 0;
      if (runs.length > asked && asked <= MAX_WISHES)
        checker.violate('a task is run again only when somebody asked', `${id} has ${runs.length} ends, and was asked for ${asked} times`);
    }
  };
}
