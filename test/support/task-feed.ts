import type { Redis } from 'ioredis';
import { createTaskFeed } from '../../queues/task-feed.ts';
import type { TaskRecord } from '../../src/contracts/index.ts';
import type { Lifecycle } from '../../src/core/lifecycle.ts';
import { createNotifier } from '../../src/core/notifier.ts';
import type { TaskIndexStore } from '../../src/core/ports/index.ts';
import { PATIENCE_MS } from './patience.ts';
import { allResults } from './results.ts';

/** Pauses short enough for tests. */
export const FAST_FEED = { blockMs: 50, gatherMs: 5, sweepMs: 50, rewalkMs: 50 };

/** Feeds from a ledger whose results count as signed: who signed them is shown by the tests of forged rows. */
export function fastFeed(connection: Redis, index: TaskIndexStore, times: Partial<typeof FAST_FEED> = {}): Lifecycle {
  return createTaskFeed({ connection, pool: 'default', index: told(index), results: allResults, times: { ...FAST_FEED, ...times } });
}

/** Whatever a feed of this process stores or reports. */
const steps = createNotifier();

/** The same index, which tells of each step of its feed after it was made. */
function told(index: TaskIndexStore): TaskIndexStore {
  return {
    ...index,
    async apply(batch) {
      const answer = await index.apply(batch);
      steps.wake();
      return answer;
    },
    report(status) {
      index.report(status);
      steps.wake();
    },
  };
}

/** Resolves when `look` answers with something; asks again after every step of a feed that `fastFeed` made. */
export async function eventually<T>(what: string, look: () => Promise<T | undefined> | T | undefined, timeoutMs = PATIENCE_MS): Promise<T> {
  const end = AbortSignal.timeout(timeoutMs);
  for (;;) {
    // Asked before the look, so that a step in between is not missed.
    const enough = new AbortController();
    const step = steps.next(AbortSignal.any([end, enough.signal]));
    try {
      const found = await look();
      if (found !== undefined && found !== false) return found;
      if (end.aborted) throw new Error(`not within ${timeoutMs} ms: ${what}`);
      await step;
    } finally {
      enough.abort();
    }
  }
}

/** Every row, page by page. */
export async function allRows(index: TaskIndexStore, filter: Parameters<TaskIndexStore['list']>[0] = {}, limit = 500): Promise<TaskRecord[]> {
  const rows: TaskRecord[] = [];
  let cursor: string | undefined;
  do {
    const page = await index.list(filter, { limit, ...(cursor === undefined ? {} : { cursor }) });
    rows.push(...page.tasks);
    cursor = page.next;
  } while (cursor !== undefined);
  return rows;
}

/** task_id → state, of every row. */
export async function statesIn(index: TaskIndexStore): Promise<Readonly<Record<string, string>>> {
  return Object.fromEntries((await allRows(index)).map(({ task_id, state }) => [task_id, state]));
}

/** Waits until exactly these tasks are listed in these states. */
export async function listed(index: TaskIndexStore, states: Readonly<Record<string, string>>): Promise<void> {
  const wanted = JSON.stringify(Object.entries(states).sort());
  let last = '';
  await eventually(wanted, async () => {
    last = JSON.stringify(Object.entries(await statesIn(index)).sort());
    return last === wanted;
  }).catch((error: unknown) => {
    throw new Error(`${String(error)}; it lists ${last}; ${JSON.stringify(index.health())}`);
  });
}
