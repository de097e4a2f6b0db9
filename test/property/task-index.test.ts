import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMemoryTaskIndex } from '../../src/adapters/memory/task-index.ts';
import { createIndexEngine } from '../../src/adapters/sqlite/task-index/task-index-engine.ts';
import { createIndexView } from '../../src/adapters/sqlite/task-index/task-index-view.ts';
import { SHOWN_STATES, type TaskFilter, type TaskPage, type TaskRecord } from '../../src/contracts/index.ts';
import type { IndexChange } from '../../src/core/ports/index.ts';
import { indexed, T0 } from '../conformance/task-index.ts';

const capability = fc.constantFrom('FILE_MOVE', 'FILE_COPY', 'FILE_DELETE');
const code = fc.constantFrom('LEASE_EXPIRED', 'EXECUTION_FAILED');
const plan = fc.constantFrom('p', 'q');
/** Names that lie next to each other, and next to the separator, in byte order. */
const path = fc.array(fc.constantFrom('a', 'a.', 'a0', 'b', 'ä', '%', '_'), { minLength: 1, maxLength: 3 }).map((parts) => `/${parts.join('/')}`);
const moment = fc.integer({ min: 0, max: 20 });
const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined });

const change: fc.Arbitrary<IndexChange> = fc
  .record({
    kind: fc.constantFrom('event' as const, 'look' as const, 'event' as const, 'gone' as const),
    n: fc.integer({ min: 0, max: 40 }),
    at: moment,
    seen: moment,
    state: fc.constantFrom(...SHOWN_STATES),
    capabilityId: capability,
    errorCode: optional(code),
    plan: optional(plan),
    sourcePath: optional(path),
    destinationPath: optional(path),
  })
  .map(({ kind, n, at, seen, ...fields }) => {
    const task = indexed(n, { ...fields, updatedAt: T0 + at, seenAt: T0 + seen });
    return kind === 'gone' ? { kind, queue: task.queue, jobId: task.jobId, seenAt: task.seenAt } : { kind, task };
  });

const time = moment.map((ms) => new Date(T0 + ms).toISOString());
const filter: fc.Arbitrary<TaskFilter> = fc.record(
  { state: fc.constantFrom(...SHOWN_STATES), capability, error_code: code, plan, path: fc.oneof(path, fc.constantFrom('/', '/a/')), since: time, until: time },
  { requiredKeys: [] },
);

/** Follows the cursors to the end. */
async function pages(list: (page: { cursor?: string; limit: number }) => Promise<{ tasks: TaskRecord[]; next?: string | undefined }>, limit: number) {
  const all: TaskRecord[] = [];
  let cursor: string | undefined;
  for (let turn = 0; turn < 1000; turn += 1) {
    const page = await list({ limit, ...(cursor === undefined ? {} : { cursor }) });
    expect(page.tasks.length).toBeLessThanOrEqual(limit);
    all.push(...page.tasks);
    if (page.next === undefined) return all;
    cursor = page.next;
  }
  throw new Error('the cursors lead nowhere');
}

describe('the task index against the plain list', () => {
  it('answers every filter with the same tasks in the same order, page by page, without repeats or gaps', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'writ-index-property-'));
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(change, { maxLength: 30 }), { maxLength: 4 }),
        fc.array(fc.tuple(filter, fc.integer({ min: 1, max: 12 })), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 5, max: 60 }),
        async (batches, searches, maxTasks) => {
          run += 1;
          const file = join(directory, `${run}.db`);
          const engine = createIndexEngine({ file, maxTasks, maxEvents: 20 });
          const view = createIndexView({ file });
          const model = createMemoryTaskIndex({ maxTasks, maxEvents: 20 });
          try {
            const [sqlite, memory] = [engine.begin(), await model.begin()];
            for (const changes of batches) {
              engine.apply({ generation: sqlite.generation, changes });
              await model.apply({ generation: memory.generation, changes });
            }
            expect(engine.begin().tasks).toBe(model.health().tasks);
            for (const [wish, limit] of searches) {
              const expected = (await model.list(wish, { limit: 1000 })).tasks;
              expect(await pages(async (page) => pageOf(view.list(wish, page)), limit)).toEqual(expected);
              expect(await pages((page) => model.list(wish, page), limit)).toEqual(expected);
            }
          } finally {
            view.close();
            engine.close();
          }
        },
      ),
      { numRuns: 60 },
    );
    rmSync(directory, { recursive: true });
  });
});

function pageOf(answer: ReturnType<ReturnType<typeof createIndexView>['list']>): TaskPage {
  if ('lost' in answer) throw new Error('the reader found no index');
  return answer;
}
