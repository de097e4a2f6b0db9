import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPlanEvents } from '../../../queues/plan-events.ts';
import { createPlanJobs } from '../../../queues/plan-jobs.ts';
import { createPlans } from '../../../queues/plans.ts';
import { inlineEd25519 } from '../../../src/adapters/crypto/inline.ts';
import { nodeEd25519 } from '../../../src/adapters/crypto/node-crypto.ts';
import { planKey, rowKey } from '../../../src/adapters/redis/keys.ts';
import { createRedisPlanViews } from '../../../src/adapters/redis/plan-views.ts';
import { rememberedPlanEnd } from '../../../src/adapters/sqlite/plan-journal/plan-end-memory.ts';
import type { PlanEvent } from '../../../src/contracts/index.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { manifestSha256 } from '../../../src/core/hash.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import { createNotifier } from '../../../src/core/notifier.ts';
import { failure } from '../../../src/core/outcome.ts';
import type { PlanView } from '../../../src/core/ports/index.ts';
import { createPlanEndSigner, generateKey, signingKey } from '../../../src/lease/index.ts';
import { lookAgain } from '../../support/look-again.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { envelopeOf, fileStep, type PlanRig, startPlanRig } from '../../support/plan-rig.ts';

/** What a plan's view in Redis says counts only as far as an executor has signed it. */

let plans: PlanRig;
let redis: Redis;
beforeAll(async () => {
  plans = await startPlanRig();
  await plans.rig.startWorker();
  redis = await plans.rig.redis.client();
});
afterAll(() => plans[Symbol.asyncDispose]());

const at = (name: string): string => path.join(plans.rig.base, name);

interface Ended {
  readonly id: string;
  readonly view: PlanView;
}

/** A plan that copies a file which is there, or is not. */
async function ended(name: string, there: boolean): Promise<Ended> {
  if (there) writeFileSync(at(name), name);
  return plans.run(envelopeOf([fileStep('FILE_COPY', at(name), at(`${name}.copy`))]));
}

const word = (id: string): Promise<string> =>
  plans.plans.view(id).then(
    (view) => (view === undefined ? 'none' : view.error === undefined ? view.state : `${view.state} ${view.error.code}`),
    (error: { readonly code: string }) => error.code,
  );
const withSignature = (result: string, signature: string): string => JSON.stringify({ ...(JSON.parse(result) as object), signature });

const FORGERIES: Readonly<Record<string, (one: Ended, other: Ended) => Record<string, string> | Promise<Record<string, string>>>> = {
  'an empty signature': ({ view }) => ({ state: 'success', error: '', result: withSignature(view.result ?? '', '') }),
  'no end at all': () => ({ state: 'success', error: '', result: '' }),
  'the end of another plan': (_, other) => ({ state: 'success', error: '', result: other.view.result ?? '' }),
  'the key of somebody else': async ({ id, view }) => {
    const stranger = createPlanEndSigner(signingKey(generateKey({ use: 'result', capabilities: ['*'] })), inlineEd25519(nodeEd25519()));
    return { state: 'success', error: '', result: await stranger.signEnd(id, JSON.parse(view.result ?? '').envelope) };
  },
  'truncated JSON': ({ view }) => ({ state: 'success', error: '', result: (view.result ?? '').slice(0, -9) }),
  'a failure that nobody has signed': () => ({ state: 'failure', error: '{"code":"CANCELLED","message":"lie"}', result: '' }),
};

describe('the forged view of a plan', () => {
  it.each([true, false])('that has ended (well: %s) is never believed, and keeps nobody from pushing it', async (there) => {
    const [one, other] = [await ended(`ended-${there}`, there), await ended(`other-${there}`, true)];
    const truth = there ? 'success' : 'failure EXECUTION_FAILED';
    expect(await word(one.id)).toBe(truth);
    for (const [what, forge] of Object.entries(FORGERIES)) {
      await redis.hset(planKey(one.id), await forge(one, other));
      expect([what, await word(one.id)]).toEqual([what, 'INVALID_RESULT']);
      await expect(plans.plans.cancel(one.id)).rejects.toMatchObject({ code: 'INVALID_RESULT' });
    }
    // What stands beside a signed end says nothing.
    for (const fields of [{ state: there ? 'failure' : 'success' }, { error: '{"code":"CANCELLED","message":"lie"}' }, { updated: '1e300', steps: '-1' }]) {
      await redis.hset(planKey(one.id), { state: 'failure', error: '', result: one.view.result ?? '', ...fields });
      expect([fields, await word(one.id)]).toEqual([fields, truth]);
    }
  });

  it('is outvoted by the plan journal where that lies', async () => {
    const connection = await plans.rig.redis.client('ledger');
    const jobs = createPlanJobs({ connection, pool: 'default' });
    const views = createRedisPlanViews({ redis: connection, retentionMs: 1000_000 });
    const { places, results } = plans.rig;
    const here = createPlans({ jobs, views, ends: results, remembered: (id) => rememberedPlanEnd(places.planJournal, id), clock: systemClock });
    const [one, failed, other] = [await ended('journal', true), await ended('journal-absent', false), await ended('journal-other', true)];
    const signer = createPlanEndSigner(signingKey(plans.rig.keys.executor), inlineEd25519(nodeEd25519()));
    const { envelope } = JSON.parse(failed.view.result ?? '') as { envelope: JsonObject };
    const older = { state: 'failure', error: '', result: await signer.signEnd(one.id, envelope) };
    for (const fields of [older, ...(await Promise.all(Object.values(FORGERIES).map((forge) => forge(one, other))))]) {
      await redis.hset(planKey(one.id), fields);
      expect(await here.view(one.id)).toMatchObject({ state: 'success', error: undefined, result: one.view.result });
    }
    expect(await here.view(failed.id)).toMatchObject({ state: 'failure', error: { code: 'EXECUTION_FAILED' } });
    expect(rememberedPlanEnd(places.planJournal, 'f'.repeat(64))).toBeUndefined();
    expect(rememberedPlanEnd(plans.rig.base, one.id)).toBeUndefined();
    await jobs.close();
  });

  it('that runs goes on: only its worker ends it', async () => {
    const plan = await plans.link(envelopeOf([fileStep('FILE_COPY', at('runs'), at('runs.copy'))]));
    writeFileSync(at('runs'), 'runs');
    await redis.call('HSET', '{writ}:file:meta', 'paused', '1');
    await plans.push(plan);
    await plans.view(plan.id, ({ current }) => current !== undefined);
    for (const state of ['success', 'failure']) {
      await redis.hset(planKey(plan.id), { state, error: '', result: '' });
      expect(await word(plan.id)).toBe('running');
    }
    expect(await plans.push(plan)).toMatchObject({ kind: 'in-flight' });
    await redis.call('HDEL', '{writ}:file:meta', 'paused');
    await redis.call('ZADD', '{writ}:file:marker', '0', '0');
    expect((await plans.ended(plan.id)).view).toMatchObject({ state: 'success', error: undefined });
  });

  it('is made good by pushing the plan again: its journal answers', async () => {
    writeFileSync(at('again'), 'again');
    const plan = await plans.link(envelopeOf([fileStep('FILE_COPY', at('again'), at('again.copy'))]));
    await plans.push(plan);
    const { view: truth } = await plans.ended(plan.id);
    for (const fields of [
      { state: 'failure', result: withSignature(truth.result ?? '', '') },
      { state: 'success', result: '' },
    ]) {
      await redis.hset(planKey(plan.id), fields);
      expect(await word(plan.id)).toBe('INVALID_RESULT');
      expect((await plans.push(plan)).kind).toMatch(/accepted|retried/);
      expect((await plans.ended(plan.id)).view).toMatchObject({ state: 'success', result: truth.result });
    }
    await redis.del(planKey(plan.id));
    await redis.set(planKey(plan.id), 'text');
    expect(await word(plan.id)).toBe('none');
    await plans.push(plan);
    expect((await plans.ended(plan.id)).view).toMatchObject({ state: 'success', result: truth.result });
  });

  it('is not told as an event: only a signed end is', async () => {
    const [forged, genuine] = [await ended('event-forged', true), await ended('event-genuine', false)];
    const subscriber = await plans.rig.redis.client('subscriber');
    const events = createPlanEvents({ connection: subscriber, pool: 'default', reader: redis, proven: plans.plans.view });
    const told: PlanEvent[] = [];
    const heard = createNotifier();
    events.listen((event) => {
      told.push(event);
      heard.wake();
    });
    await redis.hset(planKey(forged.id), { state: 'success', error: '', result: withSignature(forged.view.result ?? '', '') });
    // The queue's stream says of both that they have moved; they are looked at in this order, in one look or in two.
    const move = (id: string) => redis.xadd('{writ}:plan:events', '*', 'event', 'waiting', 'jobId', `p_${id}`);
    await lookAgain({
      look: async () => {
        await move(forged.id);
        await move(genuine.id);
        return told.some(({ plan_id }) => plan_id === genuine.id) || undefined;
      },
      listen: async (changed) => {
        const stop = new AbortController();
        void heard.next(stop.signal).then(changed);
        return async () => stop.abort();
      },
      timeoutMs: PATIENCE_MS,
      failure: () => 'the genuine end is not told',
    });
    expect(told.map(({ plan_id, state, error_code }) => [plan_id, state, error_code])).toEqual([[genuine.id, 'failure', 'EXECUTION_FAILED']]);
    await events.close();
  });

  it('of a step is not taken for its answer: a refusal that was signed for another job of the step', async () => {
    const plan = await plans.link(envelopeOf([fileStep('FILE_COPY', at('step'), at('step.copy')), fileStep('FILE_COPY', at('step.copy'), at('step.copy.2'))]));
    writeFileSync(at('step'), 'step');
    await redis.call('HSET', '{writ}:file:meta', 'paused', '1');
    await plans.push(plan);
    const { current } = await plans.view(plan.id, (view) => view.current !== undefined);
    const id = current?.taskId ?? '';
    const data = await lookAgain({
      look: async () => (await plans.rig.enqueue.jobState(id))?.data as { manifest: Parameters<typeof manifestSha256>[0] } | undefined,
      timeoutMs: PATIENCE_MS,
      failure: () => 'the step gets no job',
    });
    const refusal = await plans.rig.sign(data.manifest, failure('INVALID_LEASE', 'the job carries no lease'));
    await redis.hset(rowKey(id), {
      state: 'failure',
      sha: manifestSha256(data.manifest),
      epoch: '1',
      owner: '',
      job: '',
      code: 'INVALID_LEASE',
      result: refusal,
    });
    // The plan is woken, looks at the row, and parks again: it has seen no answer.
    const connection = await plans.rig.redis.client('ledger');
    const jobs = createPlanJobs({ connection, pool: 'default' });
    const key = `{writ}:plan:p_${plan.id}`;
    const parked = async (): Promise<number | undefined> =>
      (await redis.zscore('{writ}:plan:delayed', `p_${plan.id}`)) === null ? undefined : Number(await redis.hget(key, 'ats'));
    const parkedAfter = (looks: number): Promise<number> =>
      lookAgain({
        look: async () => {
          const now = await parked();
          const state = await redis.hget(planKey(plan.id), 'state');
          return (now !== undefined && now > looks) || state === 'failure' ? (now ?? 0) : undefined;
        },
        timeoutMs: PATIENCE_MS,
        failure: () => 'the plan is not parked',
      });
    const before = await parkedAfter(0);
    await jobs.promote(plan.id);
    await parkedAfter(before);
    await jobs.close();
    await redis.call('HDEL', '{writ}:file:meta', 'paused');
    await redis.call('ZADD', '{writ}:file:marker', '0', '0');
    expect((await plans.ended(plan.id)).view).toMatchObject({ state: 'success' });
  });
});
