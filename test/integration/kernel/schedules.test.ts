import { afterEach, describe, expect, it } from 'vitest';
import type { ScheduleRequest } from '../../../src/contracts/index.ts';
import type { Firing } from '../../../src/core/ports/index.ts';
import { firingId } from '../../../src/core/schedule-id.ts';
import { at, closeHosts, host, MINUTE, START } from '../../fixtures/schedules/host.ts';
import { scheduleRequest } from '../../fixtures/schedules/lane.ts';

afterEach(closeHosts);

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
