import { MAX_PLAN_BYTES } from '../../queues/catalog.ts';
import type { PlanJobs } from '../../queues/plan-jobs.ts';
import { parseStrictJson } from '../../src/core/canonical-json.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { type Lifecycle, lifecycle } from '../../src/core/lifecycle.ts';
import type { PlanJournal } from '../../src/core/ports/index.ts';

export interface SweeperOptions {
  readonly journal: Pick<PlanJournal, 'running'>;
  readonly jobs: Pick<PlanJobs, 'exists' | 'add'>;
  readonly clock: Clock;
  /** How often to look, and how long a plan must not have changed, milliseconds. */
  readonly everyMs: number;
  readonly onError: (error: unknown) => void;
}

const PAGE = 5000;

/** Puts plans that run back on the queue when Redis has lost their jobs. Adding a job that is there changes nothing. */
export function createPlanSweeper({ journal, jobs, clock, everyMs, onError }: SweeperOptions): Lifecycle {
  let timer: NodeJS.Timeout | undefined;
  let sweeping: Promise<void> | undefined;

  async function sweep(): Promise<void> {
    const plans = await journal.running(clock.now() - everyMs, PAGE);
    const there = await jobs.exists(plans.map(({ planSha256 }) => planSha256));
    for (const [at, { planSha256, envelope, lease }] of plans.entries()) {
      if (there[at] === false) await jobs.add(planSha256, { v: 1, envelope: parseStrictJson(envelope, { maxBytes: MAX_PLAN_BYTES }) as JsonObject, lease });
    }
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
