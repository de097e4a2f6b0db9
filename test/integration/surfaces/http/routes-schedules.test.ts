import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WritClient } from '../../../../src/surfaces/client/index.ts';
import { type Site, startSite } from './routes-site.ts';

describe('schedules over HTTP', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite();
  });
  afterAll(() => site[Symbol.asyncDispose]());

  it('are registered, shown, paused, resumed and removed by a key with the role kernel, and audited', async () => {
    const { schedules } = new WritClient({ baseUrl: site.url, key: site.secret('kernel') });
    const manifest = site.manifest('nightly');
    const request = { manifest, cron: '0 2 * * *', tz: 'Europe/Berlin' };
    const id = manifest.task_id;
    expect(await schedules.add(request)).toMatchObject({ id, state: 'active', missed: 'latest', overlap: 'skip', gap: 'after', fold: 'first', firings: [] });
    expect(await schedules.add(request)).toMatchObject({ id });
    await expect(schedules.add({ ...request, cron: '0 3 * * *' })).rejects.toMatchObject({ code: 'WRONG_STATE' });
    expect(await schedules.pause(id)).not.toHaveProperty('next');
    expect(await schedules.resume(id)).toHaveProperty('next');
    expect((await schedules.list()).schedules).toMatchObject([{ id, registered_by: 'kernel (http)' }]);
    await schedules.remove(id);
    await expect(schedules.get(id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const actions = site.audit().filter(({ action, outcome }) => action.startsWith('schedule.') && outcome === 'done');
    expect(actions.map(({ action }) => action)).toEqual(['schedule.add', 'schedule.add', 'schedule.pause', 'schedule.resume', 'schedule.remove']);
  });

  it('are refused to other roles, and read by some', async () => {
    const body = { manifest: site.manifest('mine'), cron: '0 2 * * *' };
    for (const as of ['submit', 'read', 'operate'] as const) {
      expect(await site.ask('/v1/schedules', { method: 'POST', as, body })).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
      expect(await site.ask('/v1/schedules/mine/remove', { method: 'POST', as })).toMatchObject({ status: 403 });
    }
    expect(await site.ask('/v1/schedules', { as: 'read' })).toMatchObject({ status: 200, body: { schedules: [] } });
    expect(await site.ask('/v1/schedules', { as: 'submit' })).toMatchObject({ status: 403 });
  });

  it.each([
    ['a time that is none', { cron: '0 25 * * *' }, 400, 'INVALID_ARGUMENT', 'cron'],
    ['a time zone that is none', { tz: 'Mars/Olympus' }, 400, 'INVALID_ARGUMENT', 'tz'],
    ['a policy that is none', { missed: 'some' }, 400, 'INVALID_ARGUMENT', 'missed'],
  ])('are refused for %s', async (_what, over, status, code, field) => {
    const body = { manifest: site.manifest('bad'), cron: '0 2 * * *', ...over };
    expect(await site.ask('/v1/schedules', { method: 'POST', as: 'kernel', body })).toMatchObject({ status, body: { code, field } });
  });
});
