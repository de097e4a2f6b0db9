import { describe, expect, it } from 'vitest';
import { HEALTH_ROUTES } from '../../../../src/surfaces/http/routes/health.ts';
import { ask } from './core-raw.ts';
import { type Site, startSite } from './core-site.ts';

/** A server whose clock the test moves. */
async function timedSite(wish: { sessionMs?: number; loginLimit?: number; rateLimit?: number } = {}) {
  const time = { ms: 1_700_000_000_000 };
  const clock = { now: () => time.ms, monotonic: () => time.ms };
  return { time, site: await startSite({ routes: HEALTH_ROUTES, services: { clock }, http: wish }) };
}

const PROXIED = { via: '1.1 proxy' };
const metrics = async (site: Site, cookie: string) => (await ask(site.url, '/metrics', { headers: { ...PROXIED, cookie } })).status;

function submit(site: Site, form: Record<string, string>, headers: Record<string, string> = {}) {
  return ask(site.url, '/login', {
    method: 'POST',
    headers: { origin: site.url, accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(form).toString(),
  });
}

describe('a login with a key', () => {
  it('gives a session in a cookie that scripts and other sites do not get, and leads where it was asked for', async () => {
    await using site = (await timedSite()).site;
    const answer = await submit(site, { key: ` ${site.secrets.read} `, next: '/board/queue/file?status=failed' });
    expect([answer.status, answer.headers.location]).toEqual([303, '/board/queue/file?status=failed']);
    expect(answer.headers['set-cookie']).toEqual([expect.stringMatching(/^writ_session=[\w-]{43}; Max-Age=3600; Path=\/; HttpOnly; SameSite=Strict$/)]);
    expect(await metrics(site, answer.headers['set-cookie']?.[0]?.split(';')[0] ?? '')).toBe(200);
  });

  it('behind TLS gives a __Host- cookie that travels only over TLS', async () => {
    await using site = await startSite({ routes: HEALTH_ROUTES, http: { allowedHosts: ['writ.example:443', 'writ.example'] } });
    const answer = await submit(site, { key: site.secrets.read }, { host: 'writ.example', origin: 'https://writ.example' });
    expect(answer.headers['set-cookie']?.[0]).toMatch(/^__Host-writ_session=[\w-]{43}; .*; Secure$/);
  });

  it('that fails says so on the page, the same whatever was wrong', async () => {
    await using site = (await timedSite()).site;
    const pages = [{ key: '' }, { key: 'nonsense' }, { key: `${site.secrets.read}x` }, { token: 'old' }].map((form) => submit(site, form));
    const bodies = await Promise.all(pages);
    expect(new Set(bodies.map(({ status }) => status))).toEqual(new Set([401]));
    expect(new Set(bodies.map(({ body }) => body)).size).toBe(1);
    expect(bodies[0]?.body).toContain('role="alert"');
    expect(bodies[0]?.headers['set-cookie']).toBeUndefined();
  });

  it.each([
    '//evil.example',
    'https://evil.example',
    '/\\evil.example',
    '/.//evil.example',
    'javascript:alert(1)',
    '/\t/evil.example',
    '/login?next=/login',
    `/${'a'.repeat(3000)}`,
  ])('never leads to "%s"', async (next) => {
    await using site = (await timedSite()).site;
    expect((await submit(site, { key: site.secrets.read, next })).headers.location).toBe('/docs/');
  });

  it('without a wish leads to what the roles are for; a wish has precedence', async () => {
    await using site = await startSite({ routes: HEALTH_ROUTES, home: (roles) => (roles.has('operate') ? '/board' : '/docs/') });
    const location = async (form: Record<string, string>) => (await submit(site, form)).headers.location;
    const link = (role: 'operate' | 'read') => site.links.create([role], 60, 'somebody');
    expect(await location({ token: await link('operate') })).toBe('/board');
    expect(await location({ token: await link('read') })).toBe('/docs/');
    expect(await location({ token: await link('operate'), next: '/docs/' })).toBe('/docs/');
    const token = await link('operate');
    expect((await ask(site.url, `/login?token=${token}`)).body).not.toContain('name="next"');
    expect((await ask(site.url, `/login?token=${token}&next=/metrics`)).body).toContain('name="next" value="/metrics"');
    const cookie = await site.logIn(site.secrets.operate);
    expect((await ask(site.url, '/', { headers: { cookie } })).headers.location).toBe('/board');
    expect((await ask(site.url, '/')).headers.location).toBe('/docs/');
  });

  it('shows what it was given only as text', async () => {
    await using site = (await timedSite()).site;
    const { body } = await ask(site.url, `/login?token=${encodeURIComponent('"><script>alert(1)</script>')}&next=/%22%3E%3Cb%3E`);
    expect(body).not.toContain('<script>');
    expect(body).not.toContain('"><b>');
  });

  it('from a page of another origin is refused, so that nobody is logged in as somebody else', async () => {
    await using site = (await timedSite()).site;
    const answer = await submit(site, { key: site.secrets.read }, { origin: 'https://evil.example' });
    expect([answer.status, answer.headers['set-cookie']]).toEqual([403, undefined]);
  });
});

describe('a one-time link', () => {
  it('is not used up by a look at it, opens one session, and then no other', async () => {
    await using site = (await timedSite()).site;
    const token = await site.links.create(['operate', 'read'], 600, 'link');
    for (let look = 0; look < 3; look += 1) expect((await ask(site.url, `/login?token=${token}`)).body).toContain('<form method="post"');
    const first = await submit(site, { token });
    expect(first.status).toBe(303);
    expect(await metrics(site, first.headers['set-cookie']?.[0]?.split(';')[0] ?? '')).toBe(200);
    expect((await submit(site, { token })).status).toBe(401);
  });
});

describe('a session', () => {
  it('ends by logout, on the server and not only in the browser', async () => {
    await using site = (await timedSite()).site;
    const cookie = await site.logIn(site.secrets.read);
    expect((await ask(site.url, '/logout', { method: 'POST', headers: { cookie } })).status).toBe(403);
    const out = await ask(site.url, '/logout', { method: 'POST', headers: { cookie, origin: site.url } });
    expect([out.status, out.headers.location, out.headers['set-cookie']?.[0]]).toEqual([303, '/login', expect.stringContaining('Max-Age=0')]);
    expect(await metrics(site, cookie)).toBe(401);
  });

  it('ends with its time', async () => {
    const { site, time } = await timedSite({ sessionMs: 60_000 });
    await using _site = site;
    const cookie = await site.logIn(site.secrets.read);
    time.ms += 59_999;
    expect(await metrics(site, cookie)).toBe(200);
    time.ms += 1;
    expect(await metrics(site, cookie)).toBe(401);
  });

  it('ends with the key that opened it: expired or revoked', async () => {
    const { site, time } = await timedSite();
    await using _site = site;
    const { secret } = await site.keys.create({ name: 'short', roles: ['read'], ttlS: 100 });
    const short = await site.logIn(secret);
    const { key, secret: other } = await site.keys.create({ name: 'gone', roles: ['read'] });
    const gone = await site.logIn(other);
    expect([await metrics(site, short), await metrics(site, gone)]).toEqual([200, 200]);
    await site.keys.revoke(key.id);
    time.ms += 1000;
    expect([await metrics(site, short), await metrics(site, gone)]).toEqual([200, 401]);
    time.ms += 99_000;
    expect(await metrics(site, short)).toBe(401);
  });

  it('cannot be fixed beforehand: a planted cookie opens nothing, and a login replaces what there was', async () => {
    await using site = (await timedSite()).site;
    const planted = `writ_session=${'B'.repeat(43)}`;
    const answer = await submit(site, { key: site.secrets.read }, { cookie: planted });
    expect(answer.headers['set-cookie']?.[0]).not.toContain('BBBB');
    expect(await metrics(site, planted)).toBe(401);
    const first = await site.logIn(site.secrets.read);
    await submit(site, { key: site.secrets.read }, { cookie: first });
    expect(await metrics(site, first)).toBe(401);
  });

  it('has the roles of its key and no other', async () => {
    await using site = (await timedSite()).site;
    expect(await metrics(site, await site.logIn(site.secrets.submit))).toBe(403);
  });
});

describe('a browser without a session', () => {
  it('is sent to the login and back; a program gets 401', async () => {
    await using site = (await timedSite()).site;
    const page = await ask(site.url, '/metrics?x=1', { headers: { ...PROXIED, accept: 'text/html,*/*;q=0.8' } });
    expect([page.status, page.headers.location]).toEqual([303, '/login?next=%2Fmetrics%3Fx%3D1']);
    expect((await ask(site.url, '/metrics', { headers: PROXIED })).status).toBe(401);
  });
});

describe('limits', () => {
  it('of logins are counted by address, apart from everything else, and shown on the page', async () => {
    await using site = (await timedSite({ loginLimit: 3 })).site;
    const statuses = [];
    for (let n = 0; n < 4; n += 1) statuses.push((await submit(site, { key: 'wrong' })).status);
    expect(statuses).toEqual([401, 401, 401, 429]);
    const last = await submit(site, { key: site.secrets.read });
    expect([last.status, last.headers['retry-after'] !== undefined, last.body.includes('role="alert"')]).toEqual([429, true, true]);
    expect((await ask(site.url, '/healthz')).status).toBe(200);
  });

  it('of requests are counted by key: one that asks too often does not stop another', async () => {
    await using site = (await timedSite({ rateLimit: 5 })).site;
    const readyAs = (secret: string) => ask(site.url, '/readyz', { headers: { authorization: `Bearer ${secret}` } });
    const answers = [];
    for (let n = 0; n < 6; n += 1) answers.push(await readyAs(site.secrets.read));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429]);
    expect(JSON.parse(answers[5]?.body ?? '')).toMatchObject({ code: 'RATE_LIMITED', status: 429 });
    expect(Number(answers[5]?.headers['retry-after'])).toBeGreaterThan(0);
    expect((await readyAs(site.secrets.submit)).status).toBe(200);
  });

  it('hold for guessed keys and unknown paths, by address', async () => {
    await using site = (await timedSite({ rateLimit: 3 })).site;
    const guess = async (n: number) => (await ask(site.url, n % 2 ? '/nowhere' : '/readyz', { headers: { authorization: `Bearer writ_${n}_x` } })).status;
    expect([await guess(0), await guess(1), await guess(2), await guess(3)]).toEqual([200, 404, 200, 429]);
  });
});
