import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../../../config/package.ts';
import { runbookPlugin } from '../../../../src/surfaces/http/runbooks.ts';
import { ALERT_FILES, alertsOf, runbookUrlOf } from '../../../support/alerts.ts';
import { type Site, startSite } from './core-site.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite({ plugins: [runbookPlugin(path.join(packageRoot(), 'docs', 'runbooks'))] });
});
afterAll(() => site[Symbol.asyncDispose]());

async function look(url: string) {
  const { pathname } = new URL(url, site.url);
  const reply = await site.fetch(pathname);
  return { status: reply.status, headers: reply.headers, text: await reply.text() };
}
const alerts = ALERT_FILES.flatMap((file) => alertsOf(file));

describe('the runbook_url of an alert', () => {
  it.each(alerts.map((one) => [one.alert, one] as const))('of %s leads to its page, without a login', async (name, rule) => {
    const { status, headers, text } = await look(runbookUrlOf(rule));
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(/<title>(.*?)<\/title>/.exec(text)?.[1]).toBe(`${name} · Writ runbook`);
    expect([...text.matchAll(/<h[12]>(.*?)<\/h[12]>/g)].map(([, words]) => words)).toEqual([name, 'What it means', 'What you see', 'What to do']);
  });
});

describe('the pages of runbooks', () => {
  it('hold no script, load nothing from elsewhere, and are shown in no frame', async () => {
    const { headers, text } = await look('/runbooks/WritNoWorker');
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(text).not.toMatch(/<script|style=|onclick|javascript:|<data/);
    expect(text).toContain('&lt;data directory&gt;/logs/worker.log');
    expect((await look('/runbooks/runbooks.css')).headers.get('content-type')).toBe('text/css; charset=utf-8');
  });

  it('link each other, and name the pages that are files of the package', async () => {
    const { text } = await look('/runbooks/WritNoWorker');
    expect(text).toContain('<a href="WritRedisPolicy.md">WritRedisPolicy</a>');
    expect(text).toContain('<code>docs/tools.md</code>');
    const texts = await Promise.all(alerts.map(async ({ alert }) => (await look(`/runbooks/${alert}`)).text));
    const hrefs = new Set(
      texts.flatMap((page) => [...page.matchAll(/<main.*$/gs)].flatMap(([main]) => [...main.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href))),
    );
    expect(hrefs.size).toBeGreaterThan(5);
    for (const href of hrefs) expect([href, (await look(new URL(href, `${site.url}/runbooks/`).href)).status]).toEqual([href, 200]);
  });

  it('have a list of all', async () => {
    for (const place of ['/runbooks', '/runbooks/']) {
      const { status, text } = await look(place);
      expect([status, [...text.matchAll(/<a href="\/runbooks\/(Writ\w+)"/g)].length]).toEqual([200, alerts.length]);
    }
  });

  it.each(['/runbooks/nothing', '/runbooks/..%2Fsecurity', '/runbooks/..%2F..%2Fpackage.json', '/runbooks/README.md.md'])('are none for %s', async (place) => {
    expect((await site.fetch(place)).status).toBe(404);
  });
});
