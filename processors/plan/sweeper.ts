import { LRUCache } from 'lru-cache';
import { MAX_PLAN_BYTES } from '../../queues/catalog.ts';
import type { PlanJobs } from '../../queues/plan-jobs.ts';
import { parseStrictJson } from '../../src/core/canonical-json.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { type Lifecycle, lifecycle } from '../../src/core/lifecycle.ts';
import type { IdlePlan, PlanJournal } from '../../src/core/ports/index.ts';

export interface SweeperOptions {
  readonly journal: Pick<PlanJournal, 'running' | 'record' | 'note'>;
  readonly jobs: Pick<PlanJobs, 'exists' | 'failed' | 'run'>;
  readonly clock: Clock;
  /** How often to look, and how long a plan must not have changed, milliseconds. */
  readonly everyMs: number;
  readonly onError: (error: unknown) => void;
}

/** Plans whose jobs are looked for at once. */
const PAGE = 500;
/** A job that has failed again and again without a word in the journal is run no more often, milliseconds. */
const LONGEST_MS = 3_600_000;
/** Plans of which that is remembered. */
const MAX_REMEMBERED = 2000;

/**
 * Puts plans that run back on the queue when Redis has lost their jobs, or has them as they were before a retry. Running a job that waits
 * or runs changes nothing. An envelope may have a megabyte, and of most parked plans the job is there: only that of a lost one is read,
 * one at a time.
 */
export function createPlanSweeper({ journal, jobs, clock, everyMs, onError }: SweeperOptions): Lifecycle {
  let timer: NodeJS.Timeout | undefined;
  let sweeping: Promise<void> | undefined;
  /** Failed jobs that were run again: how long the next time is waited for, and since when. */
  const reruns = new LRUCache<string, { readonly waitMs: number; readonly since: number }>({ maxSize: MAX_REMEMBERED, sizeCalculation: () => 1 });

  async function sweep(): Promise<void> {
    const now = clock.now();
    await sweepFrom(undefined, now - everyMs);
    // Written by a clock that was ahead.
    await sweepFrom({ changedAt: now + everyMs, planSha256: '' }, Number.MAX_SAFE_INTEGER);
  }

  async function sweepFrom(first: IdlePlan | undefined, unchangedSince: number): Promise<void> {
    for (let page = await journal.running(unchangedSince, PAGE, first); page.length > 0; page = await journal.running(unchangedSince, PAGE, page.at(-1))) {
      const ids = page.map(({ planSha256 }) => planSha256);
      const [there, failed] = await Promise.all([jobs.exists(ids), jobs.failed(ids)]);
      for (const [at, id] of ids.entries()) if (there[at] === false || (failed[at] === true && isTime(id))) await putBack(id);
    }
  }

  function isTime(planSha256: string): boolean {
    const now = clock.monotonic();
    const before = reruns.get(planSha256);
    if (before !== undefined && now - before.since < before.waitMs) return false;
    reruns.set(planSha256, { waitMs: Math.min(LONGEST_MS, 2 * (before?.waitMs ?? everyMs / 2)), since: now });
    return true;
  }

  async function putBack(planSha256: string): Promise<void> {
    const plan = await journal.record(planSha256);
    // It may have ended since the page was read.
    if (plan === undefined || plan.end !== undefined) return;
    const envelope = parseStrictJson(plan.envelope, { maxBytes: MAX_PLAN_BYTES }) as JsonObject;
    await jobs.run(planSha256, { v: 1, envelope, lease: plan.lease }, (wish) => journal.note(planSha256, wish));
  }

  return lifecycle(
    () => {
      timer = setInterval(() => {
        sweeping ??= sweep()
          .catch(onError)
          .finally(() => {
            sweeping = undefined;
          });
      }, everyMs);
    },
    async () => {
      clearInterval(timer);
      await sweeping;
    },
  );
}
