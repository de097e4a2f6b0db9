import { createPlans } from '../../../queues/plans.ts';
import type { EndedPlan, PlanEnds, Plans } from '../../../src/core/ports/index.ts';
import { createPlanEndReader, fixedKeyring } from '../../../src/lease/index.ts';
import type { Parts } from '../parts.ts';
import { planRecord } from '../plan-record.ts';
import { EPOCH_MS, type SimProcess } from '../scheduler.ts';
import { EXECUTOR_KEY } from '../tasks.ts';
import { cheapEd25519 } from '../twins/crypto.ts';
import { PLAN_QUEUE } from '../twins/kernel.ts';
import { planJobsFor } from '../twins/plans.ts';
import { remote } from '../world.ts';

const JOB_ID = /^p_([0-9a-f]{64})$/;
const MESSAGE_MS = 0.3;
/** Longest wait for an event; virtual milliseconds. */
const BLOCK_MS = 30_000;
const ENDS = createPlanEndReader({ keyring: fixedKeyring([EXECUTOR_KEY]), ed25519: cheapEd25519 });

/** Of a history in which no plan is told. */
export const NO_PLANS = { end: async () => undefined };

/** The events of the plan queue in Redis, which go with it, and what it and the plan journal still know of plans that have ended. */
export class PlanEndsTwin {
  /** When each plan ended last, whoever heard of it: its job may end long after. */
  readonly endedAt = new Map<string, number>();
  readonly #parts: Parts;
  #events: (EndedPlan & { readonly losses: number })[] = [];
  #waiting: (() => void)[] = [];
  /** When the journal of the host kept each end, by the worker's clock. */
  readonly #journal = new Map<string, number>();
  /** The same in the world's time. */
  readonly #keptAt = new Map<string, number>();

  constructor(parts: Parts) {
    this.#parts = parts;
    const { plan } = parts.host.stores;
    const keep = plan.ask.bind(plan);
    Object.assign(plan, {
      ask: async (...args: Parameters<typeof keep>) => {
        const answer = await keep(...args);
        const [, method, [ended, , now]] = args;
        if (method === 'end' && answer !== undefined) {
          const planSha256 = String(Reflect.get(Object(ended), 'planSha256'));
          this.#journal.set(planSha256, Number(now));
          this.#keptAt.set(planSha256, parts.world.now);
        }
        return answer;
      },
    });
    const queue = parts.redis.queue(PLAN_QUEUE);
    const [complete, fail] = [queue.complete.bind(queue), queue.fail.bind(queue)];
    Object.assign(queue, {
      complete: (...args: Parameters<typeof complete>) => {
        complete(...args);
        this.#hear(args[0]);
      },
      fail: (...args: Parameters<typeof fail>) => {
        const end = fail(...args);
        if (queue.jobs.get(args[0])?.state === 'failed') this.#hear(args[0]);
        return end;
      },
    });
  }

  #hear(jobId: string): void {
    const planSha256 = JOB_ID.exec(jobId)?.[1];
    if (planSha256 === undefined) return;
    const { world, redis } = this.#parts;
    this.endedAt.set(planSha256, this.#keptAt.get(planSha256) ?? world.now);
    this.#events.push({ planSha256, at: this.#redisNow, losses: redis.losses });
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** Its clock is right. */
  get #redisNow(): number {
    return Math.floor(EPOCH_MS + this.#parts.world.now);
  }

  portFor(process: SimProcess): PlanEnds {
    const { world, redis } = this.#parts;
    const ask = <T>(what: string, effect: () => T): Promise<T> => world.call(process, { to: 'redis', what: `plan-ends.${what}`, effect });
    const journalled = (at: number): readonly EndedPlan[] => this.#journalled(at);
    const here = (): { place: string; at: number } => ({ place: JSON.stringify([redis.losses, this.#events.length]), at: this.#redisNow });
    const look = (place: string): Awaited<ReturnType<PlanEnds['after']>> => {
      const [losses, from] = JSON.parse(place) as [number, number];
      if (losses !== redis.losses) return 'lost';
      return { ...here(), ended: this.#events.slice(from).filter((one) => one.losses === losses) };
    };
    return {
      here: () => ask('here', here),
      after: async (place, signal) => {
        const found = await ask('after', () => look(place));
        if (found === 'lost' || found.ended.length > 0 || signal.aborted) return found;
        const over = new AbortController();
        await new Promise<void>((resolve) => {
          this.#waiting.push(() => world.scheduler.at(MESSAGE_MS, process, () => resolve()));
          world.scheduler.at(BLOCK_MS, process, () => resolve());
          signal.addEventListener('abort', () => resolve(), { once: true, signal: over.signal });
        });
        over.abort();
        return ask('after', () => look(place));
      },
      async *since(at) {
        const ended = ({ state }: { readonly state: string }): boolean => state === 'success' || state === 'failure';
        yield await ask('since', () =>
          [...redis.views.rows.values()].flatMap((view) => (ended(view) && view.updated >= at ? [{ planSha256: view.id, at: view.updated }] : [])),
        );
        yield await world.call(process, { to: 'journal', what: 'plan-ends.journal', effect: () => journalled(at) });
      },
    };
  }

  #journalled(at: number): readonly EndedPlan[] {
    const { host } = this.#parts;
    return [...this.#journal].flatMap(([planSha256, ended]) => (ended >= at && planRecord(host.stores, planSha256)?.end ? [{ planSha256, at: ended }] : []));
  }

  /** How plans stand for one process of the API, on the host of the plan journal. */
  plansFor(process: SimProcess): Pick<Plans, 'end'> {
    const { world, redis, host } = this.#parts;
    return createPlans({
      jobs: planJobsFor(world, process, redis),
      views: remote(world, process, 'redis', 'views', redis.views.port()),
      ends: ENDS,
      remembered: (id) => planRecord(host.stores, id)?.end?.result,
      clock: process.clock,
    });
  }
}
