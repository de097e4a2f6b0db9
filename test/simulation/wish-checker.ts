import type { PlanRecord } from '../../src/core/ports/index.ts';
import type { Parts } from './parts.ts';
import { isTrimmed, planRecord } from './plan-record.ts';
import { PLAN_QUEUE } from './twins/kernel.ts';

/** What somebody who is no worker has asked for, and what became of it. */
interface Asked {
  /** Jobs of the plan that were added, or run again when they had ended. */
  asks: number;
  /** Those of them that found the plan ended with an error. */
  retries: number;
  /** How often the plan was run on. */
  runs: number;
}

/**
 * A plan that has ended is run on only when somebody asked, and once for each time that somebody did. Whoever adds a job of the
 * plan, or runs one again, asks for it; a worker never does, whatever it puts back or delivers again.
 */
export function watchWishes(parts: Parts): () => void {
  const { world, redis, host, checker, plans } = parts;
  const known = new Map<string, Asked>();
  const of = (planSha256: string): Asked => {
    const asked = known.get(planSha256) ?? { asks: 0, retries: 0, runs: 0 };
    known.set(planSha256, asked);
    return asked;
  };
  const planOf = (jobId: string): string | undefined => (jobId.startsWith('p_') ? jobId.slice(2) : plans[Number(/^raw-(\d+)$/.exec(jobId)?.[1])]?.planSha256);
  const record = (planSha256: string): PlanRecord | undefined => planRecord(host.stores, planSha256);
  const ask = (jobId: string): void => {
    const planSha256 = planOf(jobId);
    if (planSha256 === undefined || world.caller?.mortal !== false) return;
    const asked = of(planSha256);
    asked.asks += 1;
    if (record(planSha256)?.end?.status === 'FAILURE') asked.retries += 1;
  };

  const queue = redis.queue(PLAN_QUEUE);
  const add = queue.add.bind(queue);
  const retry = queue.retry.bind(queue);
  Object.assign(queue, {
    add(...args: Parameters<typeof add>) {
      const before = queue.jobs.size;
      const id = add(...args);
      if (queue.jobs.size > before) ask(id);
      return id;
    },
    retry(...args: Parameters<typeof retry>) {
      retry(...args);
      ask(args[0]);
    },
  });

  const { plan } = host.stores;
  const look = plan.ask.bind(plan);
  Object.assign(plan, {
    async ask(...args: Parameters<typeof look>) {
      const [, method, [first]] = args;
      const isOpened = method === 'begin';
      const answer = await look(...args);
      const planSha256 = String(Reflect.get(Object(first), 'planSha256'));
      if (isOpened) ranOn(planSha256);
      return answer;
    },
  });
  /** By the journal: the answer to whoever has run it on may be lost with him. */
  function ranOn(planSha256: string): void {
    const asked = of(planSha256);
    const generation = record(planSha256)?.generation ?? 0;
    if (generation <= asked.runs) return;
    asked.runs = generation;
    if (asked.runs > asked.asks - 1)
      checker.violate(WISHED, `plan ${planSha256.slice(0, 8)} was run on ${asked.runs} times, and asked for ${asked.asks} times in all`);
  }

  return () => {
    for (const [planSha256, { retries }] of known) {
      ranOn(planSha256);
      const { runs } = of(planSha256);
      // Redis may have forgotten that somebody asked. Of a plan that is trimmed by then, each asker is told just that.
      if (redis.losses === 0 && runs < retries && !isTrimmed(host.stores, planSha256))
        checker.violate('an ask is heard', `plan ${planSha256.slice(0, 8)} was asked for ${retries} times after it had failed, and run on ${runs} times`);
    }
  };
}

/** The invariant that the mutants of wishes have to break. */
export const WISHED = 'a plan is run on only when somebody asked';
