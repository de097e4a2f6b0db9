import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PATIENCE_MS } from '../../support/patience.ts';
import { manifestOf } from '../../support/rig.ts';
import { type Site, startSite } from './site.ts';

const TASK = 'invoice-2026-0117';
const JOB = `t_${TASK}`;

let site: Site;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  site = await startSite();
  const { rig } = site.board;
  const at = (name: string) => join(rig.base, name);
  writeFileSync(at('good.txt'), 'x');
  const good = manifestOf('FILE_COPY', at('good.txt'), at('copy.txt'));
  const lost = manifestOf('FILE_MOVE', at('invoice.pdf'), at('archive.pdf'), { task_id: TASK });
  await rig.push(good);
  await rig.push(lost);
  await rig.answer(good.task_id);
  await rig.answer(TASK);
  ({ page, complaints } = await site.page());
  page.setDefaultTimeout(PATIENCE_MS);
});
afterAll(async () => site[Symbol.asyncDispose]());

const picture = (name: string) => site.picture(page, name);

/** What a script in the page may do: the browser adds session and Origin. */
const asked = (on: Page, method: string, path: string) =>
  on.evaluate(
    async ([verb, url]) => {
      const answer = await fetch(url, { method: verb, headers: { 'content-type': 'application/json' }, body: verb === 'GET' ? null : '{}' });
      const text = await answer.text();
      return { status: answer.status, code: text.startsWith('{') ? String(JSON.parse(text).code) : '' };
    },
    [method, path] as const,
  );

describe('an operator with a browser', () => {
  it('logs in with a key and sees the queue of the pool, its failures and links to the rest', async () => {
    await site.logIn(page, '/board/', await site.board.key(['operate', 'read'], 'olaf'));
    await page.getByText('pool default').waitFor();
    await page.getByText('2 Jobs').waitFor();
    await picture('board-overview');
    await page.locator('header [aria-haspopup="menu"]').click();
    const links = await page.getByRole('menuitem').all();
    expect(await Promise.all(links.map((link) => link.getAttribute('href')))).toEqual(['/docs/', '/metrics']);
    await page.keyboard.press('Escape');
  });

  it('is offered only what the server allows: Retry, and the pause of a queue', async () => {
    const offers = async () => (await page.getByRole('menuitem').allInnerTexts()).filter((text) => text !== '');
    const menus = page.locator('main [aria-haspopup="menu"]');
    await menus.nth(0).click();
    await page.getByRole('menuitem', { name: 'Sort by' }).waitFor();
    expect((await offers())[0]).toMatch(/^Retry 1 failed/);
    expect((await offers()).join()).not.toMatch(/Pause|Resume/);
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await menus.nth(1).click();
    await page.getByRole('menuitem', { name: 'Retry all' }).waitFor();
    expect(await offers()).toEqual(['Retry all 1 failed jobs', 'Pause']);
    await page.keyboard.press('Escape');
    await page.goto(`${site.url}/board/queue/file?status=failed`);
    await page.getByRole('button', { name: 'Retry all' }).waitFor();
    expect(
      await page
        .locator('main button:visible')
        .filter({ hasText: /clean|promote/i })
        .count(),
    ).toBe(0);
    expect(await page.locator('ul[class*="jobActions-"] button:visible').count()).toBe(1);
  });

  it('is told what every icon does, and how many jobs Retry all is about', async () => {
    await page.getByRole('button', { name: 'Retry all 1', exact: true }).waitFor();
    for (const name of ['Full screen', 'Settings', 'Links: console, API, metrics', 'Actions on this queue', 'Retry'])
      await page.getByRole('button', { name, exact: true }).filter({ visible: true }).first().waitFor();
    const nameless =
      'Array.from(document.querySelectorAll("button")).filter((b) => b.offsetParent && !(b.title || b.ariaLabel || b.textContent.trim())).map((b) => b.outerHTML)';
    expect(await page.evaluate(nameless)).toEqual([]);
    await page.getByRole('button', { name: 'Retry all 1', exact: true }).click();
    await page.getByText('retry all 1 failed jobs').waitFor();
    await picture('board-retry-all');
    await page.keyboard.press('Escape');
  });

  it('reads the code of a failure, what the task is about and how long its lease is good', async () => {
    await page.getByText(/^EXECUTION_FAILED: .*does not exist/).waitFor();
    await picture('board-failed');
    await page.goto(`${site.url}/board/queue/file/${JOB}?status=failed`);
    await page.getByRole('tab', { name: 'Data' }).click();
    await page.getByText(`"${TASK}"`, { exact: true }).waitFor();
    expect(await page.getByRole('tree').textContent()).toMatch(/lease_expires:\s*"\d{4}-\d\d-\d\dT[\d:]+Z \(in \d+ (h|min)\)"/);
    expect(await page.getByRole('link', { name: 'Task' }).getAttribute('href')).toBe(`/v1/tasks/${TASK}`);
    await picture('board-job');
  });

  it('pauses a queue from its menu, shows that it is paused, and resumes it', async () => {
    const isPaused = async () => (await site.board.redis.hexists('{writ}:file:meta', 'paused')) === 1;
    await page.goto(`${site.url}/board/queue/file?status=failed`);
    for (const [item, held] of [
      ['Pause', true],
      ['Resume', false],
    ] as const) {
      await page.locator('button:has(.lucide-ellipsis-vertical):visible').first().click();
      await page.getByRole('menuitem', { name: item }).waitFor();
      expect(await page.getByRole('menuitem').filter({ visible: true }).allInnerTexts()).toEqual(['Retry all 1 failed jobs', item]);
      await picture(`board-${item.toLowerCase()}`);
      await page.getByRole('menuitem', { name: item }).click();
      await page.getByRole('button', { name: 'Confirm' }).click();
      await expect.poll(isPaused).toBe(held);
    }
  });

  it('may not do the forbidden, with session and Origin as the browser sends them', async () => {
    const rows = [
      ['PUT', `/board/api/queues/file/clean/failed`],
      ['PUT', `/board/api/queues/file/${JOB}/clean`],
      ['POST', '/board/api/queues/file/add'],
      ['PATCH', `/board/api/queues/file/${JOB}/update-data`],
      ['PUT', '/board/api/queues/file/obliterate'],
      ['PUT', '/board/api/queues/pause'],
      ['PUT', '/board/api/queues/file/empty'],
      ['GET', '/board/api/redis/stats'],
    ] as const;
    for (const [method, path] of rows)
      expect([method, path, await asked(page, method, path)]).toEqual([method, path, { status: 405, code: 'METHOD_NOT_ALLOWED' }]);
  });

  it('retries and sees the task succeed', async () => {
    writeFileSync(join(site.board.rig.base, 'invoice.pdf'), 'x');
    await page.goto(`${site.url}/board/queue/file/${JOB}?status=failed`);
    await page.locator('ul[class*="jobActions-"] button:visible').click();
    await page.getByRole('button', { name: 'Confirm' }).click();
    expect((await site.board.rig.answer(TASK, ({ status }) => status === 'SUCCESS')).status).toBe('SUCCESS');
    await page.goto(`${site.url}/board/queue/file/${JOB}?status=completed`);
    await page.getByText('Finished at').waitFor();
    await page.getByRole('tab', { name: 'Data' }).click();
    await page.getByText('"SUCCESS"').waitFor();
    await picture('board-succeeded');
    const lines = (await readFile(site.board.auditFile, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.filter(({ subject }) => subject === TASK).map(({ surface, action, subject, outcome }) => [surface, action, subject, outcome])).toEqual([
      ['board', 'task.retry', TASK, 'asked'],
      ['board', 'task.retry', TASK, 'done'],
    ]);
    expect(lines[0]?.['who']).toBe('olaf');
  });

  it('is shown why a retry is refused', async () => {
    const own = await site.board.options.queues[0]?.queue.add('FILE_MOVE', { v: 1, manifest: 'none' });
    await expect.poll(() => own?.getState()).toBe('failed');
    await page.goto(`${site.url}/board/queue/file/${own?.id}?status=failed`);
    await page.locator('ul[class*="jobActions-"] button:visible').click();
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('This job is neither a task nor a plan').first().waitFor();
    await picture('board-refused');
  });

  it('met nothing that the browser had to block, and nothing from another host', () => {
    expect(complaints.filter((text) => !/status of (405|409)/.test(text))).toEqual([]);
  });
});

describe('somebody else with a browser', () => {
  it('is refused without the role operate, pages and all', async () => {
    const reader = await site.page();
    await reader.page.goto(`${site.url}/login?next=/docs/`);
    await reader.page.getByLabel('API key').fill(await site.board.key(['read', 'submit']));
    await reader.page.getByRole('button', { name: 'Log in' }).click();
    await reader.page.waitForURL(`${site.url}/docs/**`);
    const answers = [];
    for (const [method, path] of [
      ['GET', '/board/'],
      ['GET', '/board/api/queues'],
      ['PUT', `/board/api/queues/file/${JOB}/retry`],
      ['PUT', '/board/api/queues/file/retry/failed'],
    ] as const)
      answers.push((await asked(reader.page, method, path)).status);
    expect(answers).toEqual([403, 403, 403, 403]);
  });

  it('cannot borrow the session: without Origin, or with a foreign one, nothing is retried', async () => {
    const cookies = await page.context().cookies();
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    const retry = (headers: Record<string, string>) =>
      fetch(`${site.url}/board/api/queues/file/retry/failed`, { method: 'PUT', headers: { cookie, ...headers } });
    for (const headers of [{}, { origin: 'http://evil.example' }, { origin: 'null' }, { origin: site.url, 'sec-fetch-site': 'cross-site' }]) {
      const answer = await retry(headers);
      expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([403, 'ORIGIN_NOT_ALLOWED']);
    }
    expect((await fetch(`${site.url}/board/api/queues`, { headers: { host: 'evil.example', cookie } })).status).toBe(200);
  });

  it('is sent to the login as a browser and refused as a program', async () => {
    const nobody = await fetch(`${site.url}/board/queue/file`, { headers: { accept: 'text/html' }, redirect: 'manual' });
    expect([nobody.status, nobody.headers.get('location')]).toEqual([303, '/login?next=%2Fboard%2Fqueue%2Ffile']);
    expect((await fetch(`${site.url}/board/api/queues`)).status).toBe(401);
  });
});
