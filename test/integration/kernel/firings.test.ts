import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { ScheduleRequest } from '../../../src/contracts/index.ts';
import type { KernelOperations } from '../../../src/core/ports/index.ts';
import { firingId } from '../../../src/core/schedule-id.ts';
import { createAlarm } from '../../../src/kernel/schedules/alarm.ts';
import { at, closeHosts, type Host, host, MINUTE } from '../../fixtures/schedules/host.ts';
import { scheduleRequest } from '../../fixtures/schedules/lane.ts';

afterEach(closeHosts);

describe('a firing', () => {
  it.each([
    ['FILE_COPY', 'file@north'],
    ['TOOL_CALL', 'tool-crm@north'],
  ])('of %s goes to the queue that its lease names', async (capability, queue) => {
    const { add, go, lane } = host();
    await add({ manifest: { ...scheduleRequest().manifest, capability_id: capability } });
    await go(at('01T02:00'));
    expect(lane.queues).toEqual([queue]);
  });

  it('has no lease before its planned time, for another manifest, or without the schedule', async () => {
    const { add, go, kernel, clock } = host();
    const { manifest_sha256 } = await add();
    const { manifest } = scheduleRequest();
    const planned = (text: string) => ({ ...manifest, task_id: firingId('nightly', manifest_sha256, at(text) / MINUTE) });
    const says = async (one: unknown) => (await kernel().issue([{ manifest: one }]))[0];
    expect(await says(planned('01T02:00'))).toMatchObject({ ok: false, code: 'LEASE_REFUSED' });
    await go(at('01T02:00'));
    expect(await says(planned('01T02:00'))).toMatchObject({ ok: true });
    expect(await says({ ...planned('01T02:00'), inputs: { source_path: '/etc/passwd', destination_path: '/data/b' } })).toMatchObject({
      ok: false,
      code: 'LEASE_REFUSED',
    });
    expect(await says(planned('02T02:00'))).toMatchObject({ ok: false, code: 'LEASE_REFUSED' });
    clock.advance(-MINUTE);
    expect(await says(planned('01T02:00'))).toMatchObject({ ok: false, code: 'LEASE_REFUSED' });
  });

  it('is pushed again when Redis was emptied, before and after it ran, and is the same task', async () => {
    const { add, go, lane, firings } = host();
    await add();
    await go(at('01T02:00'));
    lane.empty();
    await go(at('01T02:01'));
    lane.work();
    lane.empty();
    await go(at('01T02:02'));
    lane.work();
    await go(at('01T02:03'));
    expect(firings()).toEqual(['01T02:00 ended SUCCESS']);
    expect(lane.effects.size).toBe(1);
  });

  it('that was refused for the lease of somebody else is pushed again', async () => {
    const { add, go, lane, firings } = host();
    await add();
    await go(at('01T02:00'));
    const [taskId = ''] = [...lane.jobs.keys()];
    lane.ends.set(taskId, { kind: 'ended', code: 'INVALID_LEASE' });
    await go(at('01T02:01'));
    lane.ends.clear();
    lane.work();
    await go(at('01T03:00'));
    expect(firings()).toEqual(['01T02:00 ended SUCCESS']);
  });
});

/** What holds of firings whatever they make. */
const MADE = {
  'a task': ({ add }: Host) => add,
  'a plan': ({ addPlan }: Host) => addPlan,
} satisfies Record<string, (of: Host) => (over?: Partial<ScheduleRequest>) => Promise<unknown>>;

describe.each(Object.entries(MADE))('a firing that is %s', (_what, registering) => {
  const pushed = ({ lane }: Host): readonly string[] => [...lane.jobs.keys(), ...lane.plans.keys()];

  it('is pushed after the start when the kernel was killed before, between sign and push, and before the record', async () => {
    const of = host();
    const { go, lane, restart, firings } = of;
    await registering(of)();
    lane.away = true;
    await go(at('01T02:00'));
    expect(firings()).toEqual(['01T02:00 due 0']);
    restart();
    lane.away = false;
    lane.losesAnswer = true;
    await go(at('01T02:01'));
    restart();
    await go(at('01T02:02'));
    expect(firings()).toEqual(['01T02:00 pushed 1']);
    expect(pushed(of)).toHaveLength(1);
  });

  it('is pushed a bounded number of times where its end is one that nobody has signed', async () => {
    const of = host();
    const { go, lane, clock, firings } = of;
    await registering(of)();
    await go(at('01T02:00'));
    for (const id of pushed(of)) lane.ends.set(id, { kind: 'unproven' });
    for (let look = 0; look < 15; look += 1) await go(clock.now() + 3_600_000);
    expect(firings()).toEqual(['01T02:00 ended unproven']);
  });

  it('is left out while an earlier one has not ended, unless overlap is allowed', async () => {
    const [skips, allows] = [host(), host()];
    await registering(skips)();
    await registering(allows)({ overlap: 'allow' });
    for (const { go } of [skips, allows]) for (const time of ['01T02:00', '02T02:00']) await go(at(time));
    expect(skips.firings()).toEqual(['02T02:00 skipped overlap', '01T02:00 pushed 1']);
    expect(allows.firings()).toEqual(['02T02:00 pushed 1', '01T02:00 pushed 1']);
  });
});

describe('a clock that is moved', () => {
  it('ahead over firings misses them, and back does not make any again', async () => {
    const { add, go, lane, firings } = host();
    await add();
    await go(at('01T02:00'));
    lane.work();
    await go(at('05T12:00'));
    expect(firings()).toEqual(['05T02:00 pushed 1', '04T02:00 skipped missed', '01T02:00 ended SUCCESS']);
    lane.work();
    await go(at('01T01:00'));
    await go(at('01T02:00'));
    expect(lane.jobs.size).toBe(0);
    await go(at('02T02:00'));
    expect(firings()?.filter((one) => one.includes('pushed'))).toEqual(['02T02:00 pushed 1']);
    expect(lane.effects.size).toBe(2);
  });

  it.each(['latest', 'all'] as const)(
    'back, and right again, makes up for nothing from before the registration or from a pause (missed: %s)',
    async (missed) => {
      const { add, go, lane, desk, firings } = host();
      const wasWrong = async (back: string, right: string): Promise<void> => {
        await go(at(back));
        await go(at(right));
      };
      await go(at('05T12:00'));
      await add({ missed });
      await wasWrong('02T12:00', '05T12:01');
      expect(firings()).toEqual([]);
      await go(at('06T02:00'));
      lane.work();
      await go(at('06T12:00'));
      desk().act('nightly', 'pause', 'ops');
      await go(at('09T12:00'));
      desk().act('nightly', 'resume', 'ops');
      await wasWrong('07T12:00', '09T12:01');
      expect(firings()).toEqual(['06T02:00 ended SUCCESS']);
      await go(at('10T02:00'));
      expect(firings()).toEqual(['10T02:00 pushed 1', '06T02:00 ended SUCCESS']);
    },
  );

  it('back between the look at the clock and the signature costs no firing', async () => {
    const { add, go, lane, clock, store, kernel, firings } = host();
    await add();
    clock.advance(at('01T02:00') - clock.now());
    const signsLater: Pick<KernelOperations, 'issue' | 'issuePlan'> = {
      issue: (...asked) => {
        clock.advance(-60 * MINUTE);
        return kernel().issue(...asked);
      },
      issuePlan: (...asked) => kernel().issuePlan(...asked),
    };
    await createAlarm({ store: store(), kernel: signsLater, lane, clock, report: expect.unreachable }).pass();
    expect(firings()).toEqual(['01T02:00 due 0']);
    await go(at('01T02:00'));
    expect(firings()).toEqual(['01T02:00 pushed 1']);
  });
});

type Step = 'minute' | 'day' | 'back' | 'kill' | 'away' | 'answer lost' | 'empty' | 'work';

describe('any history of a kernel that is killed, a Redis that is emptied and a clock that jumps', () => {
  it('makes each firing once in effect, invents none and loses none', async () => {
    const steps = fc.array(fc.constantFrom<Step>('minute', 'day', 'back', 'kill', 'away', 'answer lost', 'empty', 'work'), { maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const { add, go, pass, clock, lane, restart, store } = host(at('01T01:58'));
        const { manifest_sha256 } = await add({ cron: '*/2 * * * *', overlap: 'allow' });
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
          for (const taskId of lane.jobs.keys()) expect(store().firing(taskId)?.planned ?? Infinity).toBeLessThanOrEqual(latest / MINUTE);
        }
        // Then everything is well: what was decided comes to its end.
        [lane.away, lane.losesAnswer] = [false, false];
        await go(latest + 3_600_000);
        lane.work();
        await go(latest + 7_200_000);
        lane.work();
        await go(latest + 10_800_000);
        const firings = store().firings('nightly', 1000);
        const made = firings.filter(({ state }) => state !== 'skipped');
        for (const { taskId, planned } of firings) expect([taskId, planned % 2]).toEqual([firingId('nightly', manifest_sha256, planned), 0]);
        expect(new Set(made.map(({ planned }) => planned)).size).toBe(made.length);
        expect([...lane.effects].every((taskId) => made.some((one) => one.taskId === taskId))).toBe(true);
        expect(made.filter(({ planned }) => planned <= latest / MINUTE).filter(({ state }) => state !== 'ended')).toEqual([]);
      }),
      { numRuns: 15 },
    );
  });
});
