import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { ScheduleRequest } from '../../../src/contracts/index.ts';
import { canonicalJson } from '../../../src/core/canonical-json.ts';
import { sha256Hex } from '../../../src/core/hash.ts';
import { firingEnvelope } from '../../../src/core/schedule-id.ts';
import { at, closeHosts, host, MINUTE } from '../../fixtures/schedules/host.ts';
import { linkedEnvelope, planSchedule, scheduleRequest } from '../../fixtures/schedules/lane.ts';

afterEach(closeHosts);

/** The plan that is owed at a time. */
function planAt(text: string, envelope = linkedEnvelope()) {
  const plan = firingEnvelope('nightly', envelope, sha256Hex(canonicalJson(envelope)), at(text) / MINUTE);
  return { plan, id: sha256Hex(canonicalJson(plan)) };
}

describe('a schedule of plans', () => {
  it('makes one plan at its time, whose id follows from schedule, document and time, and tells its end', async () => {
    const { addPlan, go, lane, firings, desk } = host();
    const view = await addPlan({ ttl: 600, priority: 3 });
    expect(view).toMatchObject({ id: 'nightly', plan_sha256: sha256Hex(canonicalJson(linkedEnvelope())), next: '2026-06-01T02:00:00.000Z', firings: [] });
    expect(view).not.toHaveProperty('manifest');
    await go(at('01T01:59'));
    expect(lane.plans.size).toBe(0);
    await go(at('01T02:00'));
    await go(at('01T02:00'));
    const { plan, id } = planAt('01T02:00');
    expect([...lane.plans.keys()]).toEqual([id]);
    expect(lane.plans.get(id)).toMatchObject({ envelope: plan, askedAt: at('01T02:00'), priority: 3 });
    // Another day is another plan, and only these places of it differ.
    expect(plan).toMatchObject({
      header: { timestamp: '2026-06-01T02:00:00.000Z', source: 'test' },
      payload: { ...(linkedEnvelope()['payload'] as object), options: { context: { schedule: { id: 'nightly', planned: '2026-06-01T02:00:00.000Z' } } } },
    });
    expect(planAt('02T02:00').id).not.toBe(id);
    expect(desk().show('nightly').firings).toMatchObject([{ plan_id: id, state: 'pushed', pushes: 1 }]);
    const [, payload = ''] = (lane.plans.get(id)?.lease ?? '').split('.');
    const lease = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { readonly iat: number; readonly exp: number };
    expect(lease).toMatchObject({ plan_sha256: id, aud: 'plan@north', iat: at('01T02:00') / 1000, exp: at('01T02:00') / 1000 + 600 });
    expect(lease).toMatchObject({ capabilities: ['TOOL_CALL:crm'] });
    lane.work();
    await go(at('01T02:01'));
    expect(firings()).toEqual(['01T02:00 ended SUCCESS']);
  });

  it('is registered once, and keeps the envelope of then', async () => {
    const { addPlan, add, go, lane, desk, restart, store } = host();
    const first = await addPlan();
    expect(await addPlan()).toEqual(first);
    await expect(addPlan({ envelope: linkedEnvelope({ params: { on: 'other' } }) })).rejects.toMatchObject({ code: 'WRONG_STATE' });
    await expect(add()).rejects.toMatchObject({ code: 'WRONG_STATE' });
    restart();
    await go(at('01T02:00'));
    expect([...lane.plans.keys()]).toEqual([planAt('01T02:00').id]);
    desk().act('nightly', 'remove', 'ops');
    // A firing under way is still made of it; then nothing needs it any more.
    await go(at('01T03:00') + 3_600_000);
    expect(store().envelope(first.plan_sha256 ?? '')).toBeDefined();
    lane.work();
    await go(at('01T06:00'));
    restart();
    await go(at('01T08:00'));
    expect(store().envelope(first.plan_sha256 ?? '')).toBeUndefined();
  });

  it.each<[string, Partial<ScheduleRequest>, string, string | undefined]>([
    ['both a manifest and an envelope', { manifest: scheduleRequest().manifest }, 'INVALID_ARGUMENT', 'manifest'],
    ['neither', { envelope: undefined }, 'INVALID_ARGUMENT', 'manifest'],
    ['no id', { id: undefined }, 'INVALID_ARGUMENT', 'id'],
    ['attempts, which plans have not', { attempts: 3 }, 'INVALID_ARGUMENT', 'attempts'],
    ['an envelope that is not linked', { envelope: { context: {}, input: { steps: [] } } }, 'INVALID_MANIFEST', 'envelope'],
    ['an envelope that is none', { envelope: { header: {}, payload: { steps: [] } } }, 'INVALID_MANIFEST', 'envelope'],
    ['a place of its own for the planned time', { envelope: linkedEnvelope({ options: { context: { schedule: 1 } } }) }, 'INVALID_ARGUMENT', 'envelope'],
    ['a lease that lives too long', { ttl: 100_000 }, 'INVALID_ARGUMENT', 'ttl'],
    ['a time that never comes', { cron: '0 0 31 2,4 *' }, 'INVALID_ARGUMENT', 'cron'],
    ['a plan that is too large', { envelope: linkedEnvelope({ params: { on: 'x'.repeat(1_030_000) } }) }, 'INVALID_MANIFEST', undefined],
  ])('is refused for %s', async (_what, over, code, field) => {
    await expect(host().addPlan(over)).rejects.toMatchObject({ code, ...(field === undefined ? {} : { field }) });
  });

  it('of tasks takes no id', async () => {
    await expect(host().add({ id: 'other' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', field: 'id' });
  });
});

describe('a firing that is a plan', () => {
  it('has no lease before its planned time, with another document, or without the schedule', async () => {
    const { addPlan, go, kernel, clock } = host();
    const says = async (text: string, envelope = linkedEnvelope()): Promise<unknown> =>
      kernel()
        .issuePlan({ envelope: planAt(text, envelope).plan })
        .then(
          () => 'signed',
          (error: unknown) => Reflect.get(Object(error), 'code') as unknown,
        );
    expect(await says('01T02:00')).toBe('LEASE_REFUSED');
    await addPlan();
    expect(await says('01T02:00')).toBe('LEASE_REFUSED');
    await go(at('01T02:00'));
    // What an operator needs to run a failed one on, when its lease has expired.
    expect(await says('01T02:00')).toBe('signed');
    expect(await says('02T02:00')).toBe('LEASE_REFUSED');
    expect(await says('01T02:00', linkedEnvelope({ params: { on: 'other' } }))).toBe('LEASE_REFUSED');
    clock.advance(-MINUTE);
    expect(await says('01T02:00')).toBe('LEASE_REFUSED');
  });

  it('is the same ask when it is pushed again', async () => {
    const { addPlan, go, lane, firings } = host();
    await addPlan();
    await go(at('01T02:00'));
    const { id } = planAt('01T02:00');
    const first = lane.plans.get(id);
    lane.empty();
    await go(at('01T05:00'));
    expect(firings()).toEqual(['01T02:00 pushed 2']);
    expect(lane.plans.get(id)).toMatchObject({ askedAt: first?.askedAt });
    expect(lane.plans.get(id)?.lease).not.toBe(first?.lease);
  });

  it('that was ended for its lease is ended: a plan is refused for no lease but its own', async () => {
    const { addPlan, go, lane, firings } = host();
    await addPlan();
    await go(at('01T02:00'));
    lane.ends.set(planAt('01T02:00').id, { kind: 'ended', code: 'INVALID_LEASE' });
    await go(at('01T05:00'));
    expect(firings()).toEqual(['01T02:00 ended INVALID_LEASE']);
  });

  it('comes at the end of the gap where clocks are set forward, and once where they are set back', async () => {
    const forward = host(Date.parse('2026-03-29T00:00:00Z'));
    await forward.addPlan({ cron: '30 2 * * *', tz: 'Europe/Berlin' });
    await forward.go(Date.parse('2026-03-29T01:00:00Z'));
    expect(forward.firings()).toEqual(['29T01:00 pushed 1']);
    const back = host(Date.parse('2026-10-25T00:00:00Z'));
    await back.addPlan({ cron: '30 2 * * *', tz: 'Europe/Berlin', overlap: 'allow' });
    for (const time of ['00:30', '01:30', '02:30']) await back.go(Date.parse(`2026-10-25T${time}:00Z`));
    expect(back.firings()).toEqual(['25T00:30 pushed 1']);
  });
});

type Step = 'minute' | 'day' | 'back' | 'kill' | 'away' | 'answer lost' | 'empty' | 'work';

it('any history of a killed kernel, an emptied Redis and a clock that jumps makes each plan once, invents none and loses none', async () => {
  const steps = fc.array(fc.constantFrom<Step>('minute', 'day', 'back', 'kill', 'away', 'answer lost', 'empty', 'work'), { maxLength: 25 });
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const { addPlan, go, pass, clock, lane, restart, store } = host(at('01T01:58'));
      const { envelope = {} } = planSchedule();
      const sha256 = (await addPlan({ cron: '*/2 * * * *', overlap: 'allow' })).plan_sha256 ?? '';
      const idOf = (planned: number) => `p-${sha256Hex(canonicalJson(firingEnvelope('nightly', envelope as never, sha256, planned)))}`;
      let latest = clock.now();
      const does: Record<Step, () => void> = {
        minute: () => clock.advance(MINUTE),
        day: () => clock.advance(1440 * MINUTE),
        back: () => clock.advance(-10 * MINUTE),
        kill: restart,
        away: () => {
          lane.away = !lane.away;
        },
        'answer lost': () => {
          lane.losesAnswer = true;
        },
        empty: () => lane.empty(),
        work: () => lane.work(),
      };
      for (const step of all) {
        does[step]();
        latest = Math.max(latest, clock.now());
        await pass();
        for (const { askedAt = Infinity } of lane.plans.values()) expect(askedAt).toBeLessThanOrEqual(latest);
      }
      [lane.away, lane.losesAnswer] = [false, false];
      for (const hours of [1, 2, 3]) {
        await go(latest + hours * 3_600_000);
        lane.work();
      }
      const firings = store().firings('nightly', 1000);
      const made = firings.filter(({ state }) => state !== 'skipped');
      for (const { taskId, planned } of firings) expect([taskId, planned % 2]).toEqual([idOf(planned), 0]);
      expect(new Set(made.map(({ planned }) => planned)).size).toBe(made.length);
      expect([...lane.effects].every((id) => made.some(({ taskId }) => taskId === `p-${id}`))).toBe(true);
      expect(made.filter(({ planned, state }) => planned <= latest / MINUTE && state !== 'ended')).toEqual([]);
    }),
    { numRuns: 15 },
  );
});
