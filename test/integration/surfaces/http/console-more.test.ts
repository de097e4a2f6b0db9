import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NoticeLine } from '../../../../src/contracts/index.ts';
import { WritError } from '../../../../src/core/errors.ts';
import type { KernelClient, NoticeFilter, OperatorAction, Webhooks } from '../../../../src/core/ports/index.ts';
import { consolePlugin } from '../../../../src/surfaces/http/console/plugin.ts';
import type { HttpServices } from '../../../../src/surfaces/http/services.ts';
import { scheduleDeskTwin } from '../../../fixtures/schedules/memory-store.ts';
import { createWorld, type World } from '../../../unit/surfaces/cli/world.ts';
import { coreServices, type Site, startSite } from './core-site.ts';

const HOSTILE = '"><script>alert(1)</script>\u202egnp\u0000\ud800';
const PLAN = 'a'.repeat(64);
const DEAD = `msg_${'d'.repeat(40)}`;
const manifest = { task_id: 'nightly', capability_id: 'FILE_COPY', inputs: { source_path: '/in/a', destination_path: '/in/b' }, constraints: {} };

let world: World;
let site: Site;
let kernel: KernelClient;
let kernelGone = false;
const audit: OperatorAction[] = [];
const asked: unknown[] = [];
const cookies: Record<string, string> = {};

const notices: readonly NoticeLine[] = [
  { id: DEAD, endpoint: 'files', task_id: HOSTILE, state: 'dead', attempts: 9, created_at: '2026-01-01T00:00:00.000Z', problem: HOSTILE },
  { id: `msg_${'e'.repeat(40)}`, endpoint: 'files', plan_id: PLAN, state: 'pending', attempts: 1, created_at: '2026-01-01T00:00:00.000Z' },
];
const webhooks: Webhooks = {
  ...coreServices.webhooks,
  list: async () => ({
    public_key: 'whpk_',
    endpoints: [
      {
        ...{ endpoint: 'files', url: `https://example.org/${HOSTILE}`, capabilities: [], keys: [], plans: true, pending: 1, delivered: 7, dead: 1 },
        ...{ held_bytes: 1, room_bytes: 2 },
      },
    ],
  }),
  notices: async (filter: NoticeFilter, page) => {
    asked.push([filter, page]);
    return { notices: notices.filter(({ state }) => state === (filter.state ?? state)), next: '17' };
  },
  resend: async (which) => {
    asked.push(which);
    return { resent: 1, left: 0 };
  },
  test: async (endpoint) => ({ endpoint, delivered: endpoint === 'files' }),
};

beforeAll(async () => {
  world = await createWorld();
  kernel = { approvals: world.kernel.approvals, schedules: scheduleDeskTwin(world.clock.now, HOSTILE) } as KernelClient;
  const services: HttpServices = {
    ...coreServices,
    clock: world.clock,
    plans: { ...world.plans.door },
    kernel: async () => {
      if (kernelGone) throw new WritError('KERNEL_UNAVAILABLE', 'the kernel does not answer');
      return kernel;
    },
    webhooks,
    audit: { append: async (entry) => ({ ...entry, v: 1, n: audit.push(entry), at: '', prev: '', hash: '' }) },
  };
  site = await startSite({ plugins: [consolePlugin(services)] });
  for (const role of ['read', 'submit', 'operate', 'all'] as const) cookies[role] = await site.logIn(site.secrets[role]);
  await kernel.schedules.add({ manifest, cron: '0 2 * * *', tz: 'Europe/Berlin', priority: 3 });
});
afterAll(() => site[Symbol.asyncDispose]());

async function look(path: string, as = 'all', init: RequestInit = {}) {
  const reply = await site.fetch(path, { redirect: 'manual', ...init, headers: { accept: 'text/html', cookie: cookies[as] ?? '', ...init.headers } });
  return { status: reply.status, headers: reply.headers, text: await reply.text() };
}
const press = (path: string, as = 'all', headers: Record<string, string> = { origin: site.url }) =>
  look(path, as, { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers } });

const FORMS = [
  ['schedules/nightly/pause', ['read', 'submit', 'operate']],
  ['schedules/nightly/remove', ['read', 'submit', 'operate']],
  ['webhooks/files/resend', ['read', 'submit']],
  ['webhooks/files/test', ['read', 'submit']],
  [`webhooks/notices/${DEAD}/resend`, ['read', 'submit']],
] as const;

describe('the console of what runs by itself', () => {
  it.each(['schedules', 'schedules/nightly', 'approvals', 'webhooks'])('shows /console/%s without a script, and what is hostile as text', async (path) => {
    world.approvals.ask({
      ...{ taskId: 's-ask', planSha256: PLAN, question: HOSTILE, path: '0', manifestSha256: 'b'.repeat(64), role: 'operate' },
      ...{ askedAt: world.clock.now(), until: world.clock.now() + 3_600_000 },
    });
    const { status, headers, text } = await look(`/console/${path}`);
    expect(status).toBe(200);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(text).not.toMatch(/<script|style=|onclick|javascript:/);
    for (const mark of ['\u202e', '\u0000', '\ud800']) expect(text).not.toContain(mark);
  });

  it('tells schedules with their next time and terms, and what they made', async () => {
    expect((await look('/console/schedules')).text).toMatch(
      /href="\/console\/schedules\/nightly">nightly<[\s\S]*FILE_COPY[\s\S]*0 2 \* \* \* \(Europe\/Berlin\)[\s\S]*active[\s\S]*, in \d+ h/,
    );
    const one = (await look('/console/schedules/nightly')).text;
    expect(one).toMatch(/missed times<\/dt><dd>latest[\s\S]*priority<\/dt><dd>3[\s\S]*It has made nothing yet\./);
    expect((await look('/console/schedules/nobody')).status).toBe(404);
  });

  it('pauses, resumes and removes a schedule for whoever has the role kernel, audited, and shows others no button', async () => {
    expect((await look('/console/schedules/nightly', 'read')).text).not.toContain('/pause"');
    expect((await press('/console/schedules/nightly/pause')).headers.get('location')).toBe('/console/schedules/nightly?done=pause');
    const paused = (await look('/console/schedules/nightly?done=pause')).text;
    expect(paused).toMatch(/role="status">It is paused[\s\S]*action="\/console\/schedules\/nightly\/resume"/);
    expect((await press('/console/schedules/nightly/resume')).status).toBe(303);
    await kernel.schedules.add({ manifest: { ...manifest, task_id: 'weekly' }, cron: '0 2 * * 1' });
    expect((await press('/console/schedules/weekly/remove')).headers.get('location')).toBe('/console/schedules?done=remove');
    expect((await press('/console/schedules/weekly/remove')).status).toBe(404);
    expect(audit.splice(0).map(({ action, subject, outcome }) => `${action} ${subject} ${outcome}`)).toEqual([
      ...['schedule.pause nightly asked', 'schedule.pause nightly done', 'schedule.resume nightly asked', 'schedule.resume nightly done'],
      ...['schedule.remove weekly asked', 'schedule.remove weekly done', 'schedule.remove weekly asked', 'schedule.remove weekly refused'],
    ]);
  });

  it('lists the questions that wait, each with a link to its plan', async () => {
    expect((await look('/console/approvals', 'read')).text).toMatch(
      new RegExp(`href="/console/plans/${PLAN}">a{16}…<[\\s\\S]*&lt;script&gt;[\\s\\S]*operate[\\s\\S]*in 1 h\\b`),
    );
  });

  it('tells receivers and notices, by endpoint and state, page by page', async () => {
    const all = (await look('/console/webhooks')).text;
    expect(all).toMatch(/files[\s\S]*Send all 1 dead of files again[\s\S]*Try files[\s\S]*dead[\s\S]*Send again[\s\S]*plan a{16}…/);
    expect(all).toContain('<a rel="next" href="/console/webhooks?cursor=17">Older</a>');
    asked.length = 0;
    expect((await look('/console/webhooks?state=pending&endpoint=files&cursor=17')).text).not.toContain('Send again');
    expect(asked).toEqual([
      [
        { endpoint: 'files', state: 'pending' },
        { limit: 50, cursor: '17' },
      ],
    ]);
    for (const bad of ['state=broken', 'endpoint=%2F', 'cursor=x']) expect([bad, (await look(`/console/webhooks?${bad}`)).status]).toEqual([bad, 400]);
    expect((await look('/console/webhooks', 'read')).status).toBe(403);
    expect((await look('/console', 'read')).text).not.toContain('Webhooks');
  });

  it('sends dead notices again and tries a receiver, audited', async () => {
    asked.length = 0;
    expect((await press(`/console/webhooks/notices/${DEAD}/resend`)).headers.get('location')).toBe('/console/webhooks?done=resend');
    expect((await press('/console/webhooks/files/resend')).status).toBe(303);
    expect(asked).toEqual([{ id: DEAD }, { endpoint: 'files' }]);
    expect((await press('/console/webhooks/files/test')).headers.get('location')).toBe('/console/webhooks?done=test-taken');
    expect((await press('/console/webhooks/others/test')).headers.get('location')).toBe('/console/webhooks?done=test-failed');
    expect((await press('/console/webhooks/notices/x/resend')).status).toBe(400);
    expect(audit.splice(0).map(({ action, outcome }) => `${action} ${outcome}`)).toEqual(
      ['resend', 'resend', 'test', 'test'].flatMap((action) => [`webhook.${action} asked`, `webhook.${action} done`]),
    );
  });

  it('leads back to what was looked at, with a word about what was done, once', async () => {
    const there = '/console/webhooks?state=dead&endpoint=files';
    const shown = (await look(`${there}&done=resend`)).text;
    const query = '?state=dead&amp;endpoint=files';
    for (const form of [`notices/${DEAD}/resend`, 'files/resend', 'files/test']) expect(shown).toContain(`action="/console/webhooks/${form}${query}"`);
    expect(shown).toContain(`href="/console/webhooks${query}&amp;cursor=17"`);
    expect(shown).toContain('It is due again');
    expect((await press(`/console/webhooks/notices/${DEAD}/resend?state=dead&endpoint=files`)).headers.get('location')).toBe(`${there}&done=resend`);
    expect((await press('/console/webhooks/files/test?state=dead&endpoint=files&done=resend')).headers.get('location')).toBe(`${there}&done=test-taken`);
    audit.length = 0;
  });

  it.each(FORMS)('the form %s is for its role, and for no other site', async (path, others) => {
    for (const as of others) expect([as, (await press(`/console/${path}`, as)).status]).toEqual([as, 403]);
    expect((await press(`/console/${path}`, 'nobody')).status).toBe(401);
    for (const headers of [{}, { origin: 'http://evil.example' }, { origin: site.url, 'sec-fetch-site': 'cross-site' }])
      expect((await press(`/console/${path}`, 'all', headers)).text).toContain('ORIGIN_NOT_ALLOWED');
    expect(audit).toEqual([]);
  });

  it('says in a sentence that the kernel is gone', async () => {
    kernelGone = true;
    try {
      for (const path of ['schedules', 'approvals'])
        expect(await look(`/console/${path}`)).toMatchObject({ status: 503, text: expect.stringContaining('the kernel does not answer (KERNEL_UNAVAILABLE)') });
    } finally {
      kernelGone = false;
    }
  });
});
