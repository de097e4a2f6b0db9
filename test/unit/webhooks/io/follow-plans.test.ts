import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { WritError } from '../../../../src/core/errors.ts';
import { planOfSubject, planSubject } from '../../../../src/core/notice-subject.ts';
import type { EndedPlan, PlanEnds, WebhookOutbox } from '../../../../src/core/ports/index.ts';
import { type FollowPlansDeps, followPlans } from '../../../../src/webhooks/io/follow-plans.ts';
import { PATIENCE_MS } from '../../../support/patience.ts';
import { outboxIn } from '../../../support/webhooks.ts';

const ended: (() => PromiseLike<void>)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end();
});

const T0 = 1_800_000_000_000;
const MINUTE = 60_000;
const id = (n: number): string => n.toString(16).padStart(64, '0');
const endOf = (error: string | null): string => JSON.stringify({ plan_sha256: 'p', envelope: { output: {}, error: error && { code: error } }, signature: 's' });
const endpoint = (name: string, plans: boolean) => ({ id: name, url: 'https://example.com/', capabilities: ['*'], plans, keys: [], allow: [] });

/** A plan queue of which events may be lost; every event has the number of its place. */
function planQueue() {
  let events: { readonly place: number; readonly plan: EndedPlan }[] = [];
  const all: EndedPlan[] = [];
  let newest = 0;
  let floor = 0;
  let wake = (): void => undefined;
  const ends: PlanEnds = {
    here: async () => ({ place: String(newest), at: T0 + newest }),
    async after(place, signal) {
      const from = Number(place);
      if (from < floor) return 'lost';
      if (from === newest)
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (signal.aborted) resolve();
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
      if (from < floor) return 'lost';
      return { place: String(newest), at: T0 + newest, ended: events.filter((one) => one.place > from).map(({ plan }) => plan) };
    },
    async *since(at) {
      yield all.filter((plan) => plan.at >= at);
    },
  };
  return {
    ends,
    end(n: number, at = T0 + newest + 1): void {
      newest += 1;
      const plan = { planSha256: id(n), at };
      events.push({ place: newest, plan });
      all.push(plan);
      wake();
    },
    /** Its job was lost: only views and the journal know. */
    endUnheard(n: number): void {
      all.push({ planSha256: id(n), at: T0 + newest + 1 });
    },
    lose(): void {
      events = [];
      newest += 1;
      floor = newest;
      wake();
    },
  };
}

async function freshOutbox(): Promise<WebhookOutbox> {
  const directory = await mkdtemp(path.join(tmpdir(), 'writ-follow-plans-'));
  ended.push(() => rm(directory, { recursive: true }));
  const outbox = await outboxIn(directory);
  ended.push(() => outbox.stop());
  return outbox;
}

/** The follower has come so far, and looks back no more. */
const placed = (outbox: WebhookOutbox, place: string) => expect.poll(async () => (await outbox.planPlace())?.queue, { timeout: PATIENCE_MS }).toBe(place);

async function follow(ends: PlanEnds, outbox: WebhookOutbox, change: Partial<FollowPlansDeps> = {}) {
  let look = (): void => undefined;
  let troubles = 0;
  let steps = 0;
  const changed = async (done: () => Promise<boolean>): Promise<void> => {
    while (!(await done()))
      await new Promise<void>((resolve) => {
        look = resolve;
      });
  };
  const part = followPlans({
    ends,
    outbox,
    endpoints: [endpoint('every', true), endpoint('wish', false)],
    outcome: async (told) => ({ ...told, manifestSha256: planOfSubject(told.taskId) ?? '', result: endOf(null) }),
    // Every look back is made again at once.
    clock: { now: () => T0, monotonic: () => (steps += MINUTE) },
    redisTime: async () => T0,
    onNotices: () => look(),
    onDropped: () => look(),
    onTrouble: () => {
      troubles += 1;
      look();
    },
    retryMs: 1,
    ...change,
  });
  await part.start();
  ended.push(() => part.stop());
  const all = async () => [...(await outbox.list({}, undefined, 1000)).notices].reverse().map((one) => `${one.endpoint} ${Number(`0x${one.plan_id}`)}`);
  return {
    async notices(count: number) {
      await changed(async () => (await all()).length >= count);
      return all();
    },
    troubles: (count: number) => changed(async () => troubles >= count),
    stop: () => part.stop(),
  };
}

describe('following the ends of plans', () => {
  it('writes a notice for the endpoint that is told of every plan, and for one that was wished, and once only', async () => {
    const [queue, outbox] = [planQueue(), await freshOutbox()];
    await outbox.want([{ subject: planSubject(id(2)), manifestSha256: id(2) }], ['wish'], T0 + 1e9);
    const following = await follow(queue.ends, outbox);
    for (const n of [1, 2, 2, 3]) queue.end(n);
    expect([...(await following.notices(4))].sort()).toEqual(['every 1', 'every 2', 'every 3', 'wish 2']);
    const [notice] = (await outbox.list({ plan: id(2), endpoint: 'wish' }, undefined, 9)).notices;
    expect(notice).toMatchObject({ plan_id: id(2), state: 'pending' });
    expect(notice).not.toHaveProperty('task_id');
    const body: unknown = JSON.parse((await outbox.read(notice?.id ?? ''))?.body ?? '');
    expect(body).toMatchObject({ type: 'plan.succeeded', data: { plan_id: id(2), result: JSON.parse(endOf(null)) } });
  });

  it('tells a failure and the success after it, in this order', async () => {
    const [queue, outbox] = [planQueue(), await freshOutbox()];
    const ends = ['TOOL_FAILED', null];
    const following = await follow(queue.ends, outbox, {
      outcome: async (told) => ({ ...told, manifestSha256: '', result: endOf(ends.shift() ?? null) }),
    });
    queue.end(1);
    await following.notices(1);
    queue.end(1);
    await following.notices(2);
    const bodies = await Promise.all([...(await outbox.list({}, undefined, 9)).notices].reverse().map(async (one) => (await outbox.read(one.id))?.body));
    expect(bodies.map((body) => (JSON.parse(body ?? '') as { type: string }).type)).toEqual(['plan.failed', 'plan.succeeded']);
    expect((await outbox.due('every', T0, 1e9, 9)).notices).toHaveLength(1);
  });

  it('finds what ended while it did not run, after a crash before the notice was written too (W1, W2)', async () => {
    const [queue, outbox] = [planQueue(), await freshOutbox()];
    const failing = { ...outbox, add: async () => Promise.reject(new WritError('STORAGE_UNAVAILABLE', 'the disk is full')) };
    const crashed = await follow(queue.ends, failing);
    queue.end(1);
    await crashed.troubles(1);
    await crashed.stop();
    queue.end(2);
    const following = await follow(queue.ends, outbox);
    expect([...(await following.notices(2))].sort()).toEqual(['every 1', 'every 2']);
  });

  it('goes on at its place, and looks at everything since when events in between are gone', async () => {
    const [queue, outbox] = [planQueue(), await freshOutbox()];
    const first = await follow(queue.ends, outbox);
    await placed(outbox, '0');
    queue.end(1);
    await placed(outbox, '1');
    await first.stop();
    queue.end(2);
    queue.end(3, T0 + MINUTE);
    queue.lose();
    queue.end(4);
    const following = await follow(queue.ends, outbox);
    expect([...(await following.notices(4))].sort()).toEqual(['every 1', 'every 2', 'every 3', 'every 4']);
    await following.troubles(1);
  });

  it('looks once more a minute after a look back, for what ended behind it without an event, also when it was killed in between', async () => {
    const [queue, outbox] = [planQueue(), await freshOutbox()];
    let minutes = 0;
    const clock = { now: () => T0, monotonic: () => minutes * MINUTE };
    const following = await follow(queue.ends, outbox, { clock });
    queue.end(1);
    await following.notices(1);
    expect(await outbox.planPlace()).toMatchObject({ queue: undefined });
    queue.endUnheard(2);
    await following.stop();
    const again = await follow(queue.ends, outbox, { clock });
    expect(await again.notices(2)).toEqual(['every 1', 'every 2']);
    queue.endUnheard(3);
    minutes = 1;
    queue.end(4);
    expect([...(await again.notices(4))].sort()).toEqual(['every 1', 'every 2', 'every 3', 'every 4']);
    await placed(outbox, '2');
  });

  it('sees a loss while it follows', async () => {
    const [queue, outbox] = [planQueue(), await freshOutbox()];
    const following = await follow(queue.ends, outbox);
    queue.end(1);
    await following.notices(1);
    queue.lose();
    await following.troubles(1);
    queue.end(2);
    expect(await following.notices(2)).toEqual(['every 1', 'every 2']);
  });

  it('has a place on disk when it has started, and none is written over by that of the tasks', async () => {
    const outbox = await freshOutbox();
    const full = { ...outbox, planPlace: () => Promise.reject(new WritError('STORAGE_UNAVAILABLE', 'the disk is full')) };
    await expect(follow(planQueue().ends, full)).rejects.toThrow('the disk is full');
    expect(await outbox.beginPlans(T0 + 5)).toEqual({ queue: undefined, seenAt: T0 + 5 });
    await outbox.add([], { event: 7, seenAt: T0 }, T0);
    await outbox.add([], { queue: 'here', seenAt: T0 + 6 }, T0);
    expect([await outbox.place(), await outbox.planPlace()]).toEqual([
      { event: 7, seenAt: T0 },
      { queue: 'here', seenAt: T0 + 6 },
    ]);
  });

  it('writes nothing for a plan of which only an event says that it has ended, and tries again while its end cannot be read', async () => {
    const [queue, outbox] = [planQueue(), await freshOutbox()];
    let away = 2;
    const following = await follow(queue.ends, outbox, {
      async outcome(told) {
        if (told.taskId === planSubject(id(1))) return undefined;
        away -= 1;
        if (away >= 0) throw new WritError('REDIS_UNAVAILABLE', 'Redis does not answer');
        return { ...told, manifestSha256: '', result: endOf(null) };
      },
    });
    queue.end(1);
    queue.end(2);
    expect(await following.notices(1)).toEqual(['every 2']);
    await following.troubles(2);
  });

  it('has few ends in hand at once, and its place behind those that are not noted', async () => {
    const [queue, outbox] = [planQueue(), await freshOutbox()];
    const places: unknown[] = [];
    const add: typeof outbox.add = async (notices, place, now) => {
      if (notices.length > 0) places.push([notices.length, place !== undefined && 'queue' in place ? place.queue : '']);
      return outbox.add(notices, place, now);
    };
    const first = await follow(queue.ends, outbox);
    await placed(outbox, '0');
    queue.end(100);
    await placed(outbox, '1');
    await first.stop();
    for (let n = 1; n <= 20; n += 1) queue.end(n);
    const following = await follow(queue.ends, { ...outbox, add });
    await following.notices(21);
    expect(places).toEqual([
      [8, '1'],
      [8, '1'],
      [4, '21'],
    ]);
  });
});
