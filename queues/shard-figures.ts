import type { QueueFigures, QueueStatus } from '../src/core/ports/index.ts';

/**
 * The figures of a queue from those of its shards: jobs are added up; the longest wait counts; a queue is paused when one of
 * its shards is; and a worker serves every shard, so that the one with the most of them tells how many there are.
 */
export function joinFigures<Q extends QueueFigures>(shards: readonly [Q, ...Q[]]): Q {
  const [first, ...others] = shards;
  let all: Q = first;
  for (const one of others) all = { ...all, ...joined(all, one) };
  return all;
}

function joined(a: QueueFigures, b: QueueFigures): QueueFigures {
  const waits = [a.oldestWaitingMs, b.oldestWaitingMs].filter((wait) => wait !== undefined);
  return {
    queue: a.queue,
    waiting: a.waiting + b.waiting,
    active: a.active + b.active,
    delayed: a.delayed + b.delayed,
    completed: a.completed + b.completed,
    failed: a.failed + b.failed,
    paused: a.paused || b.paused,
    oldestWaitingMs: waits.length === 0 ? undefined : Math.max(...waits),
    workers: Math.max(a.workers, b.workers),
    ...(isStatus(a) && isStatus(b) ? { failures: added(a.failures, b.failures), failuresSampled: a.failuresSampled + b.failuresSampled } : {}),
  };
}

function isStatus(figures: QueueFigures): figures is QueueStatus {
  return 'failures' in figures;
}

function added(a: QueueStatus['failures'], b: QueueStatus['failures']): Record<string, number> {
  const sum: Record<string, number> = { ...a };
  for (const [code, count] of Object.entries(b)) sum[code] = (sum[code] ?? 0) + count;
  return sum;
}
