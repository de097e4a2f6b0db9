import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TaskRecord } from '../../../../src/contracts/index.ts';
import { WritError } from '../../../../src/core/errors.ts';
import { failure } from '../../../../src/core/outcome.ts';
import type { OperatorAction } from '../../../../src/core/ports/index.ts';
import { consolePlugin } from '../../../../src/surfaces/http/console/plugin.ts';
import type { HttpServices } from '../../../../src/surfaces/http/services.ts';
import { createWorld, type World } from '../../../unit/surfaces/cli/world.ts';
import { coreServices, type Site, startSite } from './core-site.ts';

const HOSTILE = '"><script>alert(1)</script>\u202egnp\u0000\ud800';
const PLAN = 'a'.repeat(64);
/** Waits in a paused queue. */
const HELD = 'e'.repeat(64);

let world: World;
let site: Site;
let audit: OperatorAction[];
let records: TaskRecord[];
let redisGone = false;
const cookies: Record<string, string> = {};

beforeAll(async () => {
  world = await createWorld();
  audit = [];
  records = [
    {
      ...{ task_id: HOSTILE, capability_id: 'FILE_COPY', queue: 'file', state: 'failure', error_code: 'X', message: HOSTILE.repeat(500), attempts: 3 },
      ...{ source_path: HOSTILE, submitted_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' },
    },
  ];
  const gone = (): never => {
    throw new WritError('REDIS_UNAVAILABLE', 'Redis does not answer');
  };
  const whenThere = <T extends object>(port: T): T => new Proxy(port, { get: (target, name) => (redisGone ? async () => gone() : Reflect.get(target, name)) });
  const services: HttpServices = {
    ...coreServices,
    clock: world.clock,
    tasks: { ...world.tasks, enqueue: whenThere(world.tasks.enqueue), ledger: whenThere(world.tasks.ledger) },
    plans: { ...world.plans.door, plans: whenThere(world.plans.door.plans) },
    queues: whenThere({
      list: async () => [{ queue: 'file', paused: true, waiting: 3, active: 1, delayed: 0, completed: 0, failed: 2, workers: 1, oldestWaitingMs: 65_000 }],
      paused: async () => ['file'],
      pausedAround: async (id: string) => (id === HELD ? 'plan' : undefined),
      set: async () => gone(),
    }),
    kernel: async () => world.kernel,
    signatures: async () => world.signatures,
    audit: { append: async (entry) => ({ ...entry, v: 1, n: audit.push(entry), at: '', prev: '', hash: '' }) },
    index: {
      ...coreServices.index,
      list: async ({ state }, { limit }) => ({ tasks: records.filter((one) => (state ?? one.state) === one.state).slice(0, limit), next: '1-1' }),
      health: () => ({ state: 'following', tasks: 1, lagMs: 0 }),
    },
  };
  site = await startSite({ plugins: [consolePlugin(services)] });
  for (const role of ['read', 'submit', 'operate', 'all'] as const) cookies[role] = await site.logIn(site.secrets[role]);

  await world.push(world.manifest('failed'));
  await world.work('failed', failure('EXECUTION_FAILED', HOSTILE));
  await world.push(world.manifest('waits'));
  world.plans.show(HELD, {});
  world.plans.show(PLAN, { state: 'failure', error: { code: 'TOOL_FAILED', message: HOSTILE }, stepsDone: 1 });
  const step = { generation: 0, capability_id: HOSTILE, voided: false, since: '2026-01-01T00:00:00.000Z', ended_at: '2026-01-01T00:01:05.000Z' };
  world.plans.histories.set(PLAN, {
    ...{ plan_id: PLAN, state: 'failure', retries: 1, updated_at: '2026-01-01T00:00:00.000Z' },
    steps: [
      { ...step, path: '0', task_id: 's-1', state: 'success' },
      { ...step, path: `1#0.${HOSTILE}`, task_id: HOSTILE, state: 'failure', voided: true },
    ],
  });
});
afterAll(() => site[Symbol.asyncDispose]());

async function look(path: string, as = 'all', init: RequestInit = {}) {
  const reply = await site.fetch(path, { redirect: 'manual', ...init, headers: { accept: 'text/html', cookie: cookies[as] ?? '', ...init.headers } });
  return { status: reply.status, headers: reply.headers, text: await reply.text() };
}
const press = (path: string, as = 'all', headers: Record<string, string> = { origin: site.url }) =>
  look(path, as, { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers } });

const PAGES = ['/console', '/console/tasks', '/console/tasks/failed', '/console/plans', `/console/plans/${PLAN}`] as const;
const FORMS = [
  'tasks/failed/retry',
  'tasks/failed/undo',
  'tasks/waits/cancel',
  `plans/${PLAN}/retry`,
  `plans/${PLAN}/cancel`,
  `plans/${PLAN}/undo`,
  'sessions/00/end',
] as const;

describe('the console', () => {
  it.each([...PAGES, '/console/sessions'])('shows %s without a script, with a policy that allows none, and what is hostile as text', async (path) => {
    const { status, headers, text } = await look(path);
    expect(status).toBe(200);
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'");
    expect(text).not.toMatch(/<script|style=|onclick|javascript:/);
    for (const mark of ['\u202e', '\u0000', '\ud800']) expect(text).not.toContain(mark);
    expect(text.length).toBeLessThan(20_000);
  });

  it('tells queues and their ages, one task and one plan', async () => {
    expect((await look('/console')).text).toMatch(/file \(paused\)[\s\S]*1 min 5 s/);
    const list = (await look('/console/tasks?state=failure&path=%2Fb')).text;
    expect(list).toContain('&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;\\u202egnp\\u0000\ufffd');
    expect(list).toContain(`href="/console/tasks/${encodeURIComponent(HOSTILE.replace('\ud800', '\ufffd'))}"`);
    expect(list).toContain('<a rel="next" href="/console/tasks?state=failure&amp;path=%2Fb&amp;cursor=1-1">Older</a>');
    const task = (await look('/console/tasks/failed')).text;
    expect(task).toMatch(/verified, from the ledger[\s\S]*action="\/console\/tasks\/failed\/retry"/);
    expect((await look(`/console/plans/${HELD}`)).text).toContain('plan: it goes on when somebody resumes the queue');
    const plan = (await look(`/console/plans/${PLAN}`)).text;
    expect(plan).toMatch(/Timeline of 2 steps over 1 min 5 s[\s\S]*Graph of 2 steps[\s\S]*\(voided by a retry\)/);
  });

  it.each(PAGES)('%s is for readers, and for nobody else', async (path) => {
    expect((await look(path, 'read')).text).not.toContain(`/retry"`);
    expect((await look(path, 'submit')).status).toBe(403);
    expect((await look(path, 'nobody')).headers.get('location')).toBe(`/login?next=${encodeURIComponent(path)}`);
    expect((await look(path, 'submit', { headers: { accept: 'application/json' } })).text).toContain('FORBIDDEN');
  });

  it.each(FORMS)('the form %s is for operators, and for no other site', async (path) => {
    const before = audit.length;
    for (const as of ['read', 'submit']) expect((await press(`/console/${path}`, as)).status).toBe(403);
    expect((await press(`/console/${path}`, 'nobody')).status).toBe(401);
    for (const headers of [{}, { origin: 'http://evil.example' }, { origin: site.url, 'sec-fetch-site': 'cross-site' }])
      expect((await press(`/console/${path}`, 'all', headers)).text).toContain('ORIGIN_NOT_ALLOWED');
    expect(audit.length).toBe(before);
  });

  it('retries, cancels and logs out for operators, audited, and says on a page what is refused', async () => {
    const retried = await press('/console/tasks/failed/retry');
    expect([retried.status, retried.headers.get('location')]).toEqual([303, '/console/tasks/failed?done=retry']);
    expect((await look('/console/tasks/failed?done=retry')).text).toContain('It runs again.');
    expect((await look('/console/tasks/failed?done=<b>')).text).not.toContain('role="status"');
    const again = await press('/console/tasks/failed/retry');
    expect([again.status, again.text]).toEqual([409, expect.stringMatching(/role="alert">failed has not failed: it is waiting \(WRONG_STATE\)/)]);
    expect((await press('/console/tasks/waits/cancel')).headers.get('location')).toBe('/console/tasks/waits?done=cancel');
    expect((await press(`/console/plans/${PLAN}/retry`)).headers.get('location')).toBe(`/console/plans/${PLAN}?done=retry`);
    const id = /action="\/console\/sessions\/([0-9a-f]+)\/end"[\s\S]*?Log read out/.exec((await look('/console/sessions')).text);
    expect(id).not.toBeNull();
    expect((await press(`/console/sessions/${id?.[1]}/end`)).status).toBe(303);
    expect(audit.map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
      ...['task.retry asked', 'task.retry done', 'task.retry asked', 'task.retry refused', 'task.cancel asked', 'task.cancel done'],
      ...['plan.retry asked', 'plan.retry done', 'session.end asked', 'session.end done'],
    ]);
    cookies['read'] = await site.logIn(site.secrets.read);
  });

  it('shows what a plan asks somebody, with buttons for the role that it names, whose word counts once', async () => {
    const id = 'c'.repeat(64);
    const now = world.clock.now();
    const of = { path: '0', manifestSha256: 'b'.repeat(64), role: 'kernel', askedAt: now, until: now + 60_000 } as const;
    world.approvals.ask({ taskId: 's-ask', planSha256: id, question: HOSTILE, ...of });
    const waits = { for: 'approval', until: of.until, role: 'kernel' } as const;
    world.plans.show(id, { state: 'running', current: { path: '0', tool: 'writ.approval', operation: 'APPROVAL', taskId: 's-ask', waits } });
    world.plans.histories.set(id, { plan_id: id, state: 'running', retries: 0, updated_at: '2026-01-01T00:00:00.000Z', steps: [] });
    const [forReader, page] = [(await look(`/console/plans/${id}`, 'read')).text, (await look(`/console/plans/${id}`)).text];
    expect(forReader).toContain('It takes the role kernel to answer.');
    expect(forReader).not.toContain('/approve/');
    expect(page).toMatch(/It waits for an approval[\s\S]*&lt;script&gt;[\s\S]*\/approve\/s-ask[\s\S]*\/deny\/s-ask/);
    expect(page).not.toContain('<script');
    expect((await press(`/console/plans/${id}/approve/s-ask`, 'read')).status).toBe(403);
    expect((await press(`/console/plans/${id}/approve/s-ask`, 'all', {})).text).toContain('ORIGIN_NOT_ALLOWED');
    expect((await press(`/console/plans/${id}/approve/s-ask`)).headers.get('location')).toBe(`/console/plans/${id}?done=approve`);
    expect((await press(`/console/plans/${id}/deny/s-ask`)).status).toBe(409);
    expect((await look(`/console/plans/${id}?done=approve`)).text).not.toContain('It waits for an approval');
    expect(world.plans.woken).toEqual([id]);
  });

  it.each([
    ['/console/tasks?state=broken', 400],
    ['/console/tasks?since=yesterday', 400],
    ['/console/plans/xyz', 400],
    ['/console/tasks/nobody', 404],
    ['/console/nothing', 404],
  ])('%s is answered by a page with %i', async (path, status) => {
    const answer = await look(path);
    expect(answer.status).toBe(status);
  });

  it('says in a sentence that Redis is gone, and shows what it knows without it', async () => {
    redisGone = true;
    try {
      const now = await look('/console');
      expect([now.status, now.text]).toEqual([200, expect.stringMatching(/role="alert">Redis does not answer \(REDIS_UNAVAILABLE\)[\s\S]*tasks in the index/)]);
      expect((await look('/console/tasks')).status).toBe(200);
      const task = await look('/console/tasks/failed');
      expect([task.status, task.text]).toEqual([503, expect.stringContaining('Nothing is lost: tasks that run are finished')]);
      expect((await press('/console/tasks/failed/retry')).status).toBe(503);
    } finally {
      redisGone = false;
    }
  });
});
