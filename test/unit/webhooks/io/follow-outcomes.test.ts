import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createMemoryTaskIndex } from '../../../../src/adapters/memory/task-index.ts';
import { WritError } from '../../../../src/core/errors.ts';
import type { TaskIndexStore, WebhookOutbox } from '../../../../src/core/ports/index.ts';
import { type FollowDeps, followOutcomes } from '../../../../src/webhooks/io/follow-outcomes.ts';
import { indexed, T0 } from '../../../conformance/task-index.ts';
import { outboxIn } from '../../../support/webhooks.ts';

const ended: (() => PromiseLike<void>)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end();
});

const clock = { now: () => T0, monotonic: () => 0 };
const result = (status: string): string => JSON.stringify({ status, output: null, error: null, signature: 's' });
const endpoint = (id: string, capabilities: readonly string[]) => ({ id, url: 'https://example.com/', capabilities, keys: [], allow: [] });

const wishesOf = (manifestSha256: string, ...subjects: readonly string[]) => subjects.map((subject) => ({ subject, manifestSha256 }));

async function freshOutbox(): Promise<WebhookOutbox> {
  const directory = await mkdtemp(path.join(tmpdir(), 'writ-follow-'));
  ended.push(() => rm(directory, { recursive: true }));
  const outbox = await outboxIn(directory);
  ended.push(() => outbox.stop());
  return outbox;
}

function freshIndex(limits?: Parameters<typeof createMemoryTaskIndex>[0]): TaskIndexStore {
  const index = createMemoryTaskIndex(limits);
  index.report({ state: 'following', lagMs: 0 });
  return index;
}

async function end(index: TaskIndexStore, n: number, change: Parameters<typeof indexed>[1] = {}): Promise<void> {
  const { generation } = await index.begin();
  await index.apply({ generation, changes: [{ kind: 'event', task: indexed(n, { state: 'success', updatedAt: T0 + n, ...change }) }] });
}

interface Following {
  /** Resolves when the outbox holds so many notices; their endpoint and task, the oldest first. */
  notices(count: number): Promise<readonly string[]>;
  /** Resolves when so many troubles were told. */
  troubles(count: number): Promise<void>;
  stop(): Promise<void>;
}

async function follow(index: TaskIndexStore, outbox: WebhookOutbox, change: Partial<FollowDeps> = {}): Promise<Following> {
  let look = (): void => undefined;
  let told = 0;
  const changed = async (done: () => Promise<boolean>): Promise<void> => {
    while (!(await done()))
      await new Promise<void>((resolve) => {
        look = resolve;
      });
  };
  const part = followOutcomes({
    index,
    outbox,
    endpoints: [endpoint('crm', ['FILE_MOVE']), endpoint('wish', [])],
    outcome: async ({ taskId, capabilityId, at }) => ({ taskId, capabilityId, manifestSha256: 'h', result: result('SUCCESS'), at }),
    clock,
    redisTime: async () => T0,
    onNotices: () => look(),
    onDropped: () => look(),
    onTrouble: () => {
      told += 1;
      look();
    },
    retryMs: 1,
    ...change,
  });
  await part.start();
  ended.push(() => part.stop());
  const all = async () => [...(await outbox.list({}, undefined, 1000)).notices].reverse().map((one) => `${one.endpoint} ${one.task_id}`);
  return {
    async notices(count) {
      await changed(async () => (await all()).length >= count);
      return all();
    },
    troubles: (count) => changed(async () => told >= count),
    stop: () => part.stop(),
  };
}

describe('following the ends of tasks', () => {
  it('writes a notice for each end that an endpoint is told of, and once only', async () => {
    const [index, outbox] = [freshIndex(), await freshOutbox()];
    await outbox.begin(T0);
    await end(index, 0, { updatedAt: T0 - 1 });
    const following = await follow(index, outbox);
    await end(index, 1);
    await end(index, 2, { capabilityId: 'SEARCH_FILES' });
    await end(index, 3, { state: 'running' });
    await end(index, 4, { state: 'failure' });
    await end(index, 1, { jobId: 'another', updatedAt: T0 + 9 });
    await end(index, 5);
    expect([...(await following.notices(3))].sort()).toEqual(['crm task-1', 'crm task-4', 'crm task-5']);
  });

  it('tells an endpoint that the pusher named, and no other task', async () => {
    const [index, outbox] = [freshIndex(), await freshOutbox()];
    await outbox.want(wishesOf('h', 'task-1', 'task-2'), ['wish'], T0 + 1e9);
    await follow(index, outbox).then(async (following) => {
      await end(index, 1, { capabilityId: 'SEARCH_FILES' });
      await end(index, 3, { capabilityId: 'SEARCH_FILES' });
      await end(index, 2, { capabilityId: 'SEARCH_FILES' });
      expect([...(await following.notices(2))].sort()).toEqual(['wish task-1', 'wish task-2']);
    });
  });

  it('tells nobody who wished it for another manifest, whose push was refused for the id', async () => {
    const [index, outbox] = [freshIndex(), await freshOutbox()];
    await outbox.want(wishesOf('another', 'task-1'), ['wish'], T0 + 1e9);
    await outbox.want([...wishesOf('another', 'task-2'), ...wishesOf('h', 'task-2')], ['wish'], T0 + 1e9);
    // A version before did not keep the manifest.
    await outbox.want(wishesOf('', 'task-3'), ['wish'], T0 + 1e9);
    const following = await follow(index, outbox);
    for (const n of [1, 2, 3, 4]) await end(index, n, { capabilityId: n === 4 ? 'FILE_MOVE' : 'SEARCH_FILES' });
    expect([...(await following.notices(3))].sort()).toEqual(['crm task-4', 'wish task-2', 'wish task-3']);
  });

  it('finds what ended while it did not run, after a crash before the notice was written too (W1, W2)', async () => {
    const [index, outbox] = [freshIndex(), await freshOutbox()];
    const failing = { ...outbox, add: async () => Promise.reject(new WritError('STORAGE_UNAVAILABLE', 'the disk is full')) };
    const crashed = await follow(index, failing);
    await end(index, 1);
    await crashed.troubles(1);
    await crashed.stop();
    await end(index, 2);
    const following = await follow(index, outbox);
    expect([...(await following.notices(2))].sort()).toEqual(['crm task-1', 'crm task-2']);
  });

  it('looks back when the task index is another one, or forgot the events in between', async () => {
    const [index, outbox] = [freshIndex(), await freshOutbox()];
    const first = await follow(index, outbox);
    await end(index, 1);
    await first.notices(1);
    await first.stop();
    const rebuilt = freshIndex({ maxEvents: 2 });
    for (const n of [1, 2, 3, 4, 5, 6]) await end(rebuilt, n);
    const following = await follow(rebuilt, outbox);
    expect([...(await following.notices(6))].sort()).toEqual([1, 2, 3, 4, 5, 6].map((n) => `crm task-${n}`));
  });

  it('goes on looking when events are missing and the disk is full at that moment', async () => {
    const [index, outbox] = [freshIndex({ maxEvents: 2 }), await freshOutbox()];
    await outbox.add([], { event: 1, seenAt: T0 }, T0);
    for (const n of [1, 2, 3, 4]) await end(index, n);
    let asked = 0;
    // The first when it starts, the second for where it stands, the third when events are missing.
    const place: typeof outbox.place = () => {
      asked += 1;
      return asked === 3 ? Promise.reject(new WritError('STORAGE_UNAVAILABLE', 'the disk is full')) : outbox.place();
    };
    const following = await follow(index, { ...outbox, place });
    expect([...(await following.notices(4))].sort()).toEqual([1, 2, 3, 4].map((n) => `crm task-${n}`));
    expect(asked).toBeGreaterThan(3);
  });

  it('has a place on disk when it has started, so that nothing that ends from then on is missed', async () => {
    const outbox = await freshOutbox();
    const full = { ...outbox, begin: () => Promise.reject(new WritError('STORAGE_UNAVAILABLE', 'the disk is full')) };
    await expect(follow(freshIndex(), full)).rejects.toThrow('the disk is full');
    await follow(freshIndex(), outbox);
    expect(await outbox.place()).toEqual({ event: undefined, seenAt: T0 });
  });

  it('begins by the time of Redis where the clock of the API is ahead of it, and by that clock where it is behind', async () => {
    for (const [aheadMs, seenAt] of [
      [600_000, T0 - 600_000],
      [-600_000, T0],
    ] as const) {
      const outbox = await freshOutbox();
      await follow(freshIndex(), outbox, { redisTime: async () => T0 - aheadMs });
      expect(await outbox.place()).toEqual({ event: undefined, seenAt });
    }
  });

  it('does not start without a place on disk while Redis is away, and with one it does', async () => {
    const outbox = await freshOutbox();
    const redisTime = () => Promise.reject(new WritError('REDIS_UNAVAILABLE', 'Redis does not answer'));
    await expect(follow(freshIndex(), outbox, { redisTime })).rejects.toThrow('Redis does not answer');
    await outbox.begin(T0);
    await follow(freshIndex(), outbox, { redisTime });
  });

  it('tries again while an outcome cannot be read, and goes on after it', async () => {
    const [index, outbox] = [freshIndex(), await freshOutbox()];
    let away = 2;
    const following = await follow(index, outbox, {
      async outcome({ taskId, capabilityId, at }) {
        away -= 1;
        if (away >= 0) throw new WritError('REDIS_UNAVAILABLE', 'Redis does not answer');
        return { taskId, capabilityId, manifestSha256: 'h', result: result('FAILURE'), at };
      },
    });
    await end(index, 1);
    expect(await following.notices(1)).toEqual(['crm task-1']);
    await following.troubles(2);
  });

  it('writes nothing for a task of which only the index says that it has ended', async () => {
    const [index, outbox] = [freshIndex(), await freshOutbox()];
    const following = await follow(index, outbox, {
      outcome: async ({ taskId, capabilityId, at }) =>
        taskId === 'task-1' ? undefined : { taskId, capabilityId, manifestSha256: 'h', result: result('SUCCESS'), at },
    });
    await end(index, 1);
    await end(index, 2);
    expect(await following.notices(1)).toEqual(['crm task-2']);
  });

  it('looks again at an end of which Redis knows nothing, and tells it when a worker has written it back', async () => {
    const [index, outbox] = [freshIndex(), await freshOutbox()];
    let steady = 0;
    let looks = 0;
    const following = await follow(index, outbox, {
      clock: { now: () => T0, monotonic: () => (steady += 10_000) },
      async outcome({ taskId, capabilityId, at }) {
        if (taskId !== 'task-1') return { taskId, capabilityId, manifestSha256: 'h', result: result('SUCCESS'), at };
        looks += 1;
        return looks === 3 ? { taskId, capabilityId, manifestSha256: 'h', result: result('SUCCESS'), at } : 'forgotten';
      },
    });
    await end(index, 1);
    await end(index, 2);
    expect([...(await following.notices(2))].sort()).toEqual(['crm task-1', 'crm task-2']);
    expect(looks).toBeGreaterThanOrEqual(3);
  });

  it('looks again when the disk was full as it had found such an end', async () => {
    const [index, outbox] = [freshIndex(), await freshOutbox()];
    let steady = 0;
    let isBack = false;
    let isFull = true;
    // Looks at events bring their place; those at forgotten ends have none.
    const add: typeof outbox.add = async (notices, place, now) => {
      if (notices.length === 0 || place !== undefined || !isFull) return outbox.add(notices, place, now);
      isFull = false;
      throw new WritError('STORAGE_UNAVAILABLE', 'the disk is full');
    };
    const following = await follow(
      index,
      { ...outbox, add },
      {
        clock: { now: () => T0, monotonic: () => (steady += 1_000) },
        outcome: async ({ taskId, capabilityId, at }) =>
          isBack || taskId !== 'task-1' ? { taskId, capabilityId, manifestSha256: 'h', result: result('SUCCESS'), at } : 'forgotten',
      },
    );
    await end(index, 1);
    await end(index, 2);
    await following.notices(1);
    isBack = true;
    expect([...(await following.notices(2))].sort()).toEqual(['crm task-1', 'crm task-2']);
    expect(isFull).toBe(false);
  });

  it('leaves its place on disk before an end of which nobody knows, so that a crash forgets it no more', async () => {
    const [index, outbox] = [freshIndex(), await freshOutbox()];
    let isBack = false;
    const outcome: FollowDeps['outcome'] = async ({ taskId, capabilityId, at }) =>
      isBack || taskId !== 'task-1' ? { taskId, capabilityId, manifestSha256: 'h', result: result('SUCCESS'), at } : 'forgotten';
    const crashed = await follow(index, outbox, { outcome });
    await end(index, 1);
    await end(index, 2);
    await crashed.notices(1);
    await crashed.stop();
    expect((await outbox.place())?.event).toBeUndefined();
    isBack = true;
    const following = await follow(index, outbox, { outcome });
    expect([...(await following.notices(2))].sort()).toEqual(['crm task-1', 'crm task-2']);
  });

  it('tells a failure and the success after it, in this order', async () => {
    const [index, outbox] = [freshIndex(), await freshOutbox()];
    const outcomes = ['FAILURE', 'SUCCESS', 'SUCCESS'];
    const following = await follow(index, outbox, {
      outcome: async ({ taskId, capabilityId, at }) => ({ taskId, capabilityId, manifestSha256: 'h', result: result(outcomes.shift() ?? ''), at }),
    });
    await end(index, 1, { state: 'failure' });
    await following.notices(1);
    await end(index, 1, { updatedAt: T0 + 2, seenAt: T0 + 2 });
    await following.notices(2);
    const bodies = await Promise.all([...(await outbox.list({}, undefined, 9)).notices].reverse().map(async ({ id }) => (await outbox.read(id))?.body));
    expect(bodies.map((body) => (JSON.parse(body ?? '') as { type: string }).type)).toEqual(['task.failed', 'task.succeeded']);
  });
});
