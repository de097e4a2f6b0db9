import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../../src/core/canonical-json.ts';
import { sha256Hex } from '../../../../src/core/hash.ts';
import { WritClient } from '../../../../src/surfaces/client/index.ts';
import { envelopeOf, fileStep } from '../../../support/plan-rig.ts';
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

  it('make plans of an envelope, which is linked when it is registered', async () => {
    const { schedules } = new WritClient({ baseUrl: site.url, key: site.secret('kernel') });
    const request = { envelope: envelopeOf([fileStep('FILE_COPY', '/a', '/b')], { id: 'reports' }) as never, cron: '0 2 * * *', priority: 4 };
    const view = await schedules.add(request);
    const { envelope } = site.services.plans.preview.link(request.envelope);
    expect(view).toMatchObject({ id: 'reports', plan_sha256: sha256Hex(canonicalJson(envelope)), priority: 4, firings: [] });
    expect(view).not.toHaveProperty('manifest');
    expect(await schedules.add(request)).toEqual(view);
    expect(await schedules.add({ ...request, id: 'others' })).toMatchObject({ id: 'others' });
    expect((await schedules.list()).schedules.map(({ id }) => id)).toEqual(['others', 'reports']);
    const wrong = { id: 'x y' };
    await expect(schedules.add({ ...request, ...wrong })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    await expect(schedules.add({ ...request, attempts: 3 })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', field: 'attempts' });
    await expect(schedules.add({ cron: '0 2 * * *' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', field: 'manifest' });
    const unknown = envelopeOf([{ type: 'capability', ref: 'no.such.thing', params: {} }]) as never;
    await expect(schedules.add({ ...request, envelope: unknown })).rejects.toMatchObject({ code: 'INVALID_MANIFEST' });
    for (const id of ['others', 'reports']) await schedules.remove(id);
  });

  it('that make up for all they missed are refused where only one may run at a time', async () => {
    const { schedules } = new WritClient({ baseUrl: site.url, key: site.secret('kernel') });
    const manifest = site.manifest('all-missed');
    const task = { manifest, cron: '0 2 * * *' };
    const plan = { envelope: envelopeOf([fileStep('FILE_COPY', '/a', '/b')], { id: 'all-missed' }) as never, cron: '0 2 * * *' };
    const said = { code: 'INVALID_ARGUMENT', field: 'overlap', message: expect.stringContaining('must be allow where missed is all') };
    for (const what of [task, plan]) {
      await expect(schedules.add({ ...what, missed: 'all' })).rejects.toMatchObject(said);
      await expect(schedules.add({ ...what, missed: 'all', overlap: 'skip' })).rejects.toMatchObject(said);
    }
    expect((await schedules.list()).schedules).toEqual([]);
    expect(await schedules.add({ ...task, missed: 'all', overlap: 'allow' })).toMatchObject({ missed: 'all', overlap: 'allow' });
    await schedules.remove(manifest.task_id);
  });

  it('are refused to other roles, and read by some', async () => {
    const body = { manifest: site.manifest('mine'), cron: '0 2 * * *' };
    const plan = { envelope: envelopeOf([fileStep('FILE_COPY', '/a', '/b')]), cron: '0 2 * * *' };
    expect(await site.ask('/v1/schedules', { method: 'POST', as: 'operate', body: plan })).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    for (const as of ['submit', 'read', 'operate'] as const) {
      expect(await site.ask('/v1/schedules', { method: 'POST', as, body })).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
      expect(await site.ask('/v1/schedules/mine/remove', { method: 'POST', as })).toMatchObject({ status: 403 });
    }
    expect(await site.ask('/v1/schedules', { as: 'read' })).toMatchObject({ status: 200, body: { schedules: [] } });
    expect(await site.ask('/v1/schedules', { as: 'submit' })).toMatchObject({ status: 403 });
  });

  it('begin plans later, once: over the client, under a lease of the kernel that counts from then', async () => {
    const client = new WritClient({ baseUrl: site.url, key: site.secret('operator') });
    const envelope = envelopeOf([fileStep('FILE_COPY', '/a', '/b')]) as never;
    const notBefore = new Date(Date.now() + 3_600_000);
    const pushed = await client.plans.submit(envelope, { sign: true, notBefore, priority: 2 });
    if (pushed.ended) throw new Error('it has not begun');
    expect(pushed.receipt).toMatchObject({ receipt: 'accepted' });
    expect(await client.plans.get(pushed.receipt.plan_id)).toMatchObject({ state: 'waiting', steps_done: 0 });
    const other = envelopeOf([fileStep('FILE_COPY', '/a', '/b')]) as never;
    const { lease } = await client.leases.issuePlan(other, { ttl: 60 });
    await expect(client.plans.submit(other, { lease, notBefore })).rejects.toMatchObject({ code: 'LEASE_EXPIRED' });
    const later = await client.leases.issuePlan(other, { ttl: 60, notBefore });
    expect(await client.plans.submit(other, { lease: later.lease, notBefore })).toMatchObject({ ended: false });
    for (const [query, field] of [
      ['not_before=tomorrow', 'not_before'],
      [`not_before=${new Date(Date.now() + 400 * 86_400_000).toISOString()}`, 'not_before'],
      ['priority=-1', 'priority'],
    ]) {
      const body = { envelope: envelopeOf([fileStep('FILE_COPY', '/a', '/b')]) };
      const refused = await site.ask(`/v1/plans?sign=true&${query}`, { method: 'POST', as: 'operator', body });
      expect(refused).toMatchObject({ status: 400, body: { code: 'INVALID_ARGUMENT', field } });
    }
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
