import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { openKernelStore } from '../../../src/adapters/sqlite/kernel-store/kernel-store.ts';
import type { ScheduleRequest } from '../../../src/contracts/index.ts';
import type { Firing } from '../../../src/core/ports/index.ts';
import { firingId } from '../../../src/core/schedule-id.ts';
import { createKernel } from '../../../src/kernel/index.ts';
import { createAlarm } from '../../../src/kernel/schedules/alarm.ts';
import { createScheduleRegistry } from '../../../src/kernel/schedules/desk.ts';
import { fixedKeyring } from '../../../src/lease/index.ts';
import { executorKey, kernelKey } from '../../fixtures/authority/kernel-rig.ts';
import { ed25519, testClock } from '../../fixtures/authority/world.ts';
import { laneTwin, scheduleRequest } from '../../fixtures/schedules/lane.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-06-01T00:00:00Z');
const at = (text: string): number => Date.parse(`2026-06-${text}:00Z`);

/** `{capability: queue}`, as the kernel of a pool knows them. */
const AUDIENCES: Readonly<Record<string, string>> = { FILE_COPY: 'file@north', TOOL_CALL: 'tool-crm@north' };

const opened: (() => void)[] = [];
afterEach(() => {
  for (const close of opened.splice(0)) close();
});

/** The host of a kernel: its disk and its clock stay when it is killed. */
function host(start = START) {
  const dir = mkdtempSync(join(tmpdir(), 'writ-schedules-'));
  const clock = testClock(start);
  const lane = laneTwin();
  const reports: string[] = [];
  let store = openKernelStore(dir);
  opened.push(() => {
    store.close();
    rmSync(dir, { recursive: true, force: true });
  });
  const startKernel = () => {
    const kernel = createKernel({
      store,
      schedules: store.schedules,
      key: kernelKey,
      kernelKeyring: fixedKeyring([kernelKey]),
      executorKeyring: fixedKeyring([executorKey]),
      ed25519,
      config: { issuer: 'writ-kernel', ttl: 3600, maxTtl: 86_400, audienceOf: ({ capability_id: capability }) => AUDIENCES[capability] },
      clock,
      randomId: () => crypto.randomUUID(),
    });
    const alarm = createAlarm({ store: store.schedules, kernel, lane, clock, report: (problem) => reports.push(problem) });
    return { kernel, alarm, desk: createScheduleRegistry({ store: store.schedules, kernel, clock }) };
  };
  let running = startKernel();
  return {
    clock,
    lane,
    reports,
    kernel: () => running.kernel,
    desk: () => running.desk,
    store: () => store.schedules,
    add: (over: Partial<ScheduleRequest> = {}) => running.desk.add(scheduleRequest(over), 'ops'),
    pass: () => running.alarm.pass(),
    go: async (time: number) => {
      clock.advance(time - clock.now());
      await running.alarm.pass();
    },
    /** The kernel is killed: what it had not written is gone. */
    restart: () => {
      store.close();
      store = openKernelStore(dir);
      running = startKernel();
    },
    firings: () => running.desk.show('nightly').firings?.map(({ planned, state, detail, pushes }) => `${planned.slice(8, 16)} ${state} ${detail ?? pushes}`),
  };
}

describe('a schedule', () => {
  it('makes one task at its time, under a lease that counts from then, and tells its end', async () => {
    const { add, go, lane, firings, desk } = host();
    const view = await add();
    expect(view).toMatchObject({
      id: 'nightly',
      state: 'active',
      tz: 'UTC',
      missed: 'latest',
      overlap: 'skip',
      gap: 'after',
      fold: 'first',
      next: '2026-06-01T02:00:00.000Z',
      registered_by: 'ops',
    });
    await go(at('01T01:59'));
    expect(lane.jobs.size).toBe(0);
    await go(at('01T02:00'));
    await go(at('01T02:00'));
    const [job, ...others] = [...lane.jobs.values()];
    expect(others).toEqual([]);
    expect(job?.manifest.task_id).toBe(firingId('nightly', view.manifest_sha256, at('01T02:00') / MINUTE));
    expect(firings()).toEqual(['01T02:00 pushed 1']);
    lane.work();
    await go(at('01T02:01'));
    expect(firings()).toEqual(['01T02:00 ended SUCCESS']);
    expect(desk().list()).toMatchObject([{ next: '2026-06-02T02:00:00.000Z' }]);
  });

  it('is registered once: the same again is the same, another under its id is refused', async () => {
    const { add, desk } = host();
    const first = await add();
    expect(await add()).toEqual(first);
    await expect(add({ cron: '0 3 * * *' })).rejects.toMatchObject({ code: 'WRONG_STATE' });
    expect(desk().list()).toHaveLength(1);
  });

  it.each<[string, Partial<ScheduleRequest>, string]>([
    ['a time that never comes', { cron: '0 0 31 2,4 *' }, 'INVALID_ARGUMENT'],
    ['a time zone that is none', { tz: 'Mars/Olympus' }, 'INVALID_ARGUMENT'],
    ['a lease that lives too long', { ttl: 100_000 }, 'INVALID_ARGUMENT'],
    ['a manifest that needs a person each time', { manifest: { ...scheduleRequest().manifest, constraints: { hrc_required: true } } }, 'HRC_REQUIRED'],
    ['a capability that nobody serves', { manifest: { ...scheduleRequest().manifest, capability_id: 'SEARCH_FILES' } }, 'LEASE_REFUSED'],
    ['an undo', { manifest: { ...scheduleRequest().manifest, provenance: { undo_of: 'x' } } }, 'LEASE_REFUSED'],
  ])('is refused for %s', async (_what, over, code) => {
    await expect(host().add(over)).rejects.toMatchObject({ code });
  });

  it('forgets firings that ended a month ago, and makes them no more when the clock is set back or it is registered again', async () => {
    const { add, go, lane, clock, store, desk, kernel, restart } = host();
    const every = { cron: '*/10 * * * *', missed: 'all', overlap: 'allow' } as const;
    const { manifest_sha256 } = await add(every);
    desk().act('nightly', 'pause', 'ops');
    // A day of firings; the second has not ended, and is looked at in a far time.
    const made = Array.from({ length: 144 }, (_, n): Firing => {
      const planned = START / MINUTE + 10 * (n + 1);
      const open = n === 1 ? ({ state: 'pushed', lookAt: Number.MAX_SAFE_INTEGER } as const) : ({ state: 'ended', lookAt: undefined } as const);
      const taskId = firingId('nightly', manifest_sha256, planned);
      return { taskId, schedule: 'nightly', planned, manifestSha256: 'a'.repeat(64), manifest: '{}', terms: {}, detail: undefined, pushes: 1, ...open };
    });
    store().decide({ id: 'nightly', cursor: START / MINUTE, next: undefined }, made);
    clock.advance(40 * 24 * 60 * MINUTE);
    restart();
    await go(clock.now());
    expect(
      store()
        .firings('nightly', 1000)
        .map(({ planned }) => planned),
    ).toEqual([...made.slice(44).reverse(), made[1]].map((one) => one?.planned));
    expect(store().floor('nightly')).toBe(made[43]?.planned);
    // It had a lease while it stood.
    const manifest = { ...scheduleRequest().manifest, task_id: made[0]?.taskId ?? '' };
    expect(await kernel().issue([{ manifest }], {})).toMatchObject([{ ok: false, code: 'LEASE_REFUSED' }]);

    desk().act('nightly', 'remove', 'ops');
    clock.advance(START - clock.now());
    await add(every);
    await go(START + 55 * MINUTE);
    expect(lane.jobs.size).toBe(0);
    expect(store().firings('nightly', 1000)).toHaveLength(101);
  });

  it('that is paused makes nothing, and does not make up for it', async () => {
    const { add, go, desk, firings } = host();
    await add({ missed: 'all' });
    desk().act('nightly', 'pause', 'ops');
    await go(at('03T12:00'));
    desk().act('nightly', 'resume', 'ops');
    await go(at('04T02:00'));
    expect(firings()).toEqual(['04T02:00 pushed 1']);
  });

  it('that is removed makes nothing more, and what waits for Redis is left out', async () => {
    const { add, go, desk, lane, store, kernel } = host();
    const { manifest_sha256 } = await add();
    lane.away = true;
    await go(at('01T02:00'));
    desk().act('nightly', 'remove', 'ops');
    lane.away = false;
    await go(at('02T02:00'));
    expect(lane.jobs.size).toBe(0);
    expect(store().firings('nightly', 9)).toMatchObject([{ state: 'skipped', detail: 'removed' }]);
    expect(() => desk().show('nightly')).toThrow('there is no schedule');
    const manifest = { ...scheduleRequest().manifest, task_id: firingId('nightly', manifest_sha256, at('01T02:00') / MINUTE) };
    expect(await kernel().judge([{ manifest }])).toMatchObject([{ ok: false, code: 'LEASE_REFUSED' }]);
  });
});

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

  it('is pushed after the start when the kernel was killed before, between sign and push, and before the record', async () => {
    const { add, go, lane, restart, firings } = host();
    await add();
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
    expect(lane.jobs.size).toBe(1);
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

  it('is pushed a bounded number of times where somebody claims its end', async () => {
    const { add, go, lane, clock, firings } = host();
    await add();
    await go(at('01T02:00'));
    const [taskId = ''] = [...lane.jobs.keys()];
    lane.ends.set(taskId, { kind: 'unproven' });
    for (let look = 0; look < 15; look += 1) await go(clock.now() + 3_600_000);
    expect(firings()).toEqual(['01T02:00 ended unproven']);
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

  it('is left out while an earlier one runs, unless overlap is allowed', async () => {
    const [skips, allows] = [host(), host()];
    await skips.add();
    await allows.add({ overlap: 'allow' });
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
