import { describe, expect, it } from 'vitest';
import type { IndexChange, IndexedTask, TaskIndexStore } from '../../src/core/ports/index.ts';

/** An index for one test. */
export interface IndexUnderTest extends AsyncDisposable {
  readonly index: TaskIndexStore;
}

export const T0 = Date.UTC(2026, 0, 1);

export function indexed(n: number, changes: Partial<IndexedTask> = {}): IndexedTask {
  return {
    queue: 'file',
    jobId: `t_task-${n}`,
    taskId: `task-${n}`,
    capabilityId: 'FILE_MOVE',
    state: 'waiting',
    errorCode: undefined,
    message: undefined,
    sourcePath: `/data/in/${n}.txt`,
    destinationPath: `/data/out/${n}.txt`,
    plan: undefined,
    attempts: 0,
    submittedAt: T0,
    updatedAt: T0 + n,
    leaseExpiresAt: undefined,
    seenAt: T0 + n,
    ...changes,
  };
}

const failed = { state: 'failure', errorCode: 'EXECUTION_FAILED', message: 'no' } as const;
const event = (task: IndexedTask): IndexChange => ({ kind: 'event', task });
const look = (task: IndexedTask): IndexChange => ({ kind: 'look', task });

async function put(index: TaskIndexStore, changes: readonly IndexChange[], quiet = false): Promise<void> {
  const { generation } = await index.begin();
  expect(await index.apply({ generation, changes, quiet })).toBe('applied');
}

async function ids(index: TaskIndexStore, filter: Parameters<TaskIndexStore['list']>[0] = {}): Promise<readonly string[]> {
  return (await index.list(filter, { limit: 100 })).tasks.map(({ task_id }) => task_id);
}

/** The next `count` events. */
async function take(
  events: AsyncIterable<{ id: number; task_id: string; state: string }>,
  count: number,
): Promise<{ id: number; task_id: string; state: string }[]> {
  const taken = [];
  for await (const one of events) {
    taken.push(one);
    if (taken.length === count) break;
  }
  return taken;
}

/** What every TaskIndexStore does (docs/task-index.md). */
export function taskIndexConformance(name: string, make: (limits?: { maxTasks?: number; maxEvents?: number }) => Promise<IndexUnderTest>): void {
  const check = (title: string, body: (index: TaskIndexStore) => Promise<void>, limits?: { maxTasks?: number; maxEvents?: number }): void =>
    it(title, async () => {
      await using under = await make(limits);
      await body(under.index);
    });

  describe(`${name}: rows`, () => {
    check('is empty at first, without positions', async (index) => {
      expect(await index.list({}, { limit: 10 })).toEqual({ tasks: [] });
      expect((await index.begin()).positions).toEqual({});
      expect(index.health()).toMatchObject({ state: 'building', tasks: 0 });
    });

    check('shows every field of a task, and leaves out what it does not know', async (index) => {
      await put(index, [
        event(indexed(1, { ...failed, plan: 'a'.repeat(64), attempts: 2, leaseExpiresAt: T0 + 5000 })),
        event(indexed(2, { sourcePath: undefined, destinationPath: undefined })),
      ]);
      expect((await index.list({}, { limit: 10 })).tasks).toEqual([
        {
          task_id: 'task-2',
          capability_id: 'FILE_MOVE',
          queue: 'file',
          state: 'waiting',
          attempts: 0,
          submitted_at: '2026-01-01T00:00:00.000Z',
          updated_at: '2026-01-01T00:00:00.002Z',
        },
        {
          task_id: 'task-1',
          capability_id: 'FILE_MOVE',
          queue: 'file',
          state: 'failure',
          error_code: 'EXECUTION_FAILED',
          message: 'no',
          source_path: '/data/in/1.txt',
          destination_path: '/data/out/1.txt',
          plan: 'a'.repeat(64),
          attempts: 2,
          submitted_at: '2026-01-01T00:00:00.000Z',
          updated_at: '2026-01-01T00:00:00.001Z',
          lease_expires_at: '2026-01-01T00:00:05.000Z',
        },
      ]);
      expect(index.health().tasks).toBe(2);
    });

    check('does not let an older look overwrite a newer one', async (index) => {
      await put(index, [
        event(indexed(1, { state: 'success', seenAt: T0 + 50 })),
        event(indexed(1, { state: 'running', seenAt: T0 + 49 })),
        look(indexed(1, { seenAt: T0 + 10 })),
      ]);
      expect((await index.list({}, { limit: 10 })).tasks.map(({ state }) => state)).toEqual(['success']);
    });

    check('forgets a task that nobody knows, unless it was seen since', async (index) => {
      await put(index, [event(indexed(1, { seenAt: 10 })), event(indexed(2, { seenAt: 20 }))]);
      await put(index, [
        { kind: 'gone', queue: 'file', jobId: 't_task-1', seenAt: 15 },
        { kind: 'gone', queue: 'file', jobId: 't_task-2', seenAt: 15 },
        { kind: 'gone', queue: 'file', jobId: 'never', seenAt: 15 },
      ]);
      expect(await ids(index)).toEqual(['task-2']);
      expect(index.health().tasks).toBe(1);
    });

    check(
      'keeps the newest tasks when there are too many',
      async (index) => {
        await put(
          index,
          [5, 1, 4, 2, 3].map((n) => event(indexed(n))),
        );
        expect(await ids(index)).toEqual(['task-5', 'task-4', 'task-3']);
        expect(index.health().tasks).toBe(3);
      },
      { maxTasks: 3 },
    );

    check('refuses a batch for another generation and writes nothing', async (index) => {
      expect(await index.apply({ generation: 'other', changes: [event(indexed(1))], positions: { file: '1-1' } })).toBe('lost');
      expect(await ids(index)).toEqual([]);
      expect((await index.begin()).positions).toEqual({});
    });

    check('keeps positions with the rows', async (index) => {
      const { generation } = await index.begin();
      await index.apply({ generation, changes: [], positions: { file: '1-1', ledger: 'x' } });
      await index.apply({ generation, changes: [event(indexed(1))], positions: { file: '2-0' } });
      expect((await index.begin()).positions).toEqual({ file: '2-0', ledger: 'x' });
    });

    check('walks over all rows, knows jobs, and tells task ids that it has not', async (index) => {
      await put(
        index,
        [1, 2, 3].map((n) => event(indexed(n))),
      );
      const first = await index.walk(0, 2);
      const second = await index.walk(first.at(-1)?.n ?? 0, 2);
      expect([...first, ...second].map(({ task }) => task)).toEqual([1, 2, 3].map((n) => indexed(n)));
      expect(
        await index.rows([
          { queue: 'file', jobId: 'x' },
          { queue: 'file', jobId: 't_task-2' },
        ]),
      ).toEqual([undefined, indexed(2)]);
      expect(await index.unknown(['task-1', 'task-9'])).toEqual(['task-9']);
    });
  });

  describe(`${name}: filters`, () => {
    check('narrows by state, capability, code, plan and time', async (index) => {
      await put(index, [event(indexed(1, failed)), event(indexed(2, { state: 'success', capabilityId: 'FILE_COPY', plan: 'p' })), event(indexed(3))]);
      expect(await ids(index, { state: 'failure' })).toEqual(['task-1']);
      expect(await ids(index, { capability: 'FILE_COPY' })).toEqual(['task-2']);
      expect(await ids(index, { error_code: 'EXECUTION_FAILED' })).toEqual(['task-1']);
      expect(await ids(index, { plan: 'p', state: 'success' })).toEqual(['task-2']);
      expect(await ids(index, { since: '2026-01-01T00:00:00.002Z' })).toEqual(['task-3', 'task-2']);
      expect(await ids(index, { until: '2026-01-01T01:00:00.002+01:00' })).toEqual(['task-1']);
    });

    check('matches whole components of source and destination', async (index) => {
      await put(index, [
        event(indexed(1, { sourcePath: '/a/b', destinationPath: '/z' })),
        event(indexed(2, { sourcePath: '/a/bc', destinationPath: '/a/b/c' })),
        event(indexed(3, { sourcePath: '/a/bc/d', destinationPath: '/a/b0' })),
        event(indexed(4, { sourcePath: '/ü/x', destinationPath: undefined })),
      ]);
      expect(await ids(index, { path: '/a/b' })).toEqual(['task-2', 'task-1']);
      expect(await ids(index, { path: '/a/b/' })).toEqual(['task-2', 'task-1']);
      expect(await ids(index, { path: '/a/bc' })).toEqual(['task-3', 'task-2']);
      expect(await ids(index, { path: '/ü' })).toEqual(['task-4']);
      expect(await ids(index, { path: '/' })).toHaveLength(4);
      expect(await ids(index, { path: '/a/%' })).toEqual([]);
    });

    check('finds a path in the form of the result, however it was pushed and is asked for', async (index) => {
      await put(index, [
        event(indexed(1, { sourcePath: '/a//b/./c', destinationPath: '/z/./y//x' })),
        event(indexed(2, { sourcePath: '/a/tab\tf', destinationPath: '/a/new\nline' })),
        event(indexed(3, { sourcePath: '//host/share', destinationPath: 'smb://host/share' })),
      ]);
      for (const path of ['/a/b/c', '/a//b/./c', '/z/y/x', '/z//y/']) expect(await ids(index, { path })).toEqual(['task-1']);
      for (const path of ['/a/tab\tf', '/a/tab\ufffdf', '/a/./new\nline']) expect(await ids(index, { path })).toEqual(['task-2']);
      expect(await ids(index, { path: '/host' })).toEqual([]);
      expect(await ids(index, { path: '//host' })).toEqual(['task-3']);
      const [, , first] = (await index.list({}, { limit: 10 })).tasks;
      expect(first).toMatchObject({ source_path: '/a/b/c', destination_path: '/z/y/x' });
      // The same look again tells nothing new.
      const before = (await index.list({}, { limit: 10 })).tasks.length;
      await put(index, [event(indexed(1, { sourcePath: '/a//b/./c', destinationPath: '/z/./y//x' }))]);
      expect((await index.list({}, { limit: 10 })).tasks).toHaveLength(before);
    });

    check('refuses a cursor that is none', async (index) => {
      await expect(index.list({}, { cursor: "1' OR 1", limit: 10 })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', field: 'cursor' });
    });
  });

  describe(`${name}: events`, () => {
    check('streams changes in their order, from an id and from now on', async (index) => {
      await put(index, [event(indexed(1))]);
      const stop = new AbortController();
      const fromNow = take(index.events(undefined, stop.signal), 2);
      await put(index, [event(indexed(2)), event(indexed(1, { ...failed, seenAt: T0 + 9 }))]);
      const seen = await fromNow;
      expect(seen.map(({ task_id, state }) => [task_id, state])).toEqual([
        ['task-2', 'waiting'],
        ['task-1', 'failure'],
      ]);
      const [first, second] = seen;
      expect(second?.id).toBeGreaterThan(first?.id ?? 0);
      expect(await take(index.events(first?.id, stop.signal), 1)).toEqual([second]);
    });

    check('tells nothing of quiet batches, of repeated events and of looks that find what is known', async (index) => {
      await put(index, [event(indexed(1))], true);
      const stop = new AbortController();
      const events = take(index.events(undefined, stop.signal), 1);
      await put(index, [event(indexed(1)), look(indexed(1, { seenAt: T0 + 90, updatedAt: T0 + 80 })), look(indexed(1, { ...failed, seenAt: T0 + 91 }))]);
      expect(await events).toMatchObject([{ task_id: 'task-1', state: 'failure', error_code: 'EXECUTION_FAILED' }]);
    });

    check(
      'refuses an id after which events were dropped, and one from the future',
      async (index) => {
        const stop = new AbortController();
        const first = take(index.events(undefined, stop.signal), 1);
        await put(index, [event(indexed(1))]);
        const id = (await first)[0]?.id ?? 0;
        await put(
          index,
          [2, 3, 4, 5].map((n) => event(indexed(n))),
        );
        await expect(take(index.events(id, stop.signal), 1)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
        expect((await take(index.events(id + 1, stop.signal), 3)).map(({ task_id }) => task_id)).toEqual(['task-3', 'task-4', 'task-5']);
        await expect(take(index.events(id + 1000, stop.signal), 1)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
        await expect(take(index.events(0, stop.signal), 1)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
      },
      { maxEvents: 3 },
    );

    check('ends with the signal', async (index) => {
      const stop = new AbortController();
      const none = take(index.events(undefined, stop.signal), 1);
      stop.abort();
      expect(await none).toEqual([]);
    });
  });
}
