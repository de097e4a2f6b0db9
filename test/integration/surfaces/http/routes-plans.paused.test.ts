import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ID, JOB, LEASE, type PlansSite, startPlansSite } from './plans-site.ts';

let site: PlansSite;

beforeEach(async () => {
  site = await startPlansSite();
});
afterEach(() => site[Symbol.asyncDispose]());

describe('a plan that a paused queue holds up', () => {
  it('says so to whoever waits in vain, and to whoever looks', async () => {
    site.paused = ['plan'];
    expect(await site.push(JOB, { prefer: 'wait=0' })).toMatchObject({ status: 202, body: { paused_queue: 'plan' } });
    expect((await site.push()).body).not.toHaveProperty('paused_queue');
    expect((await site.ask('GET', `/v1/plans/${ID}`, 'read')).body).toMatchObject({ state: 'waiting', paused_queue: 'plan' });
    site.paused = [];
    expect((await site.ask('GET', `/v1/plans/${ID}`, 'read')).body).not.toHaveProperty('paused_queue');
  });

  it('says so of a retry, a cancel and an undo that are waited for', async () => {
    site.paused = ['plan'];
    await site.push();
    expect((await site.ask('POST', `/v1/plans/${ID}/cancel`, 'operate', undefined, { prefer: 'wait=0' })).body).toMatchObject({ paused_queue: 'plan' });
    site.end('failure');
    expect((await site.ask('GET', `/v1/plans/${ID}`, 'read')).body).not.toHaveProperty('paused_queue');
    site.plans.onPush = (id) => site.plans.show(id, { state: 'waiting' });
    const retried = await site.ask('POST', `/v1/plans/${ID}/retry`, 'operate', { lease: LEASE }, { prefer: 'wait=0' });
    expect(retried).toMatchObject({ status: 202, body: { paused_queue: 'plan' } });
  });

  it('is shown as ever where nobody can tell', async () => {
    site.paused = undefined;
    await site.push();
    expect(await site.ask('GET', `/v1/plans/${ID}`, 'read')).toMatchObject({ status: 200, body: { state: 'waiting' } });
  });
});
