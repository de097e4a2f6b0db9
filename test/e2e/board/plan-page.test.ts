import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PATIENCE_MS } from '../../support/patience.ts';
import { envelopeOf, fileStep, type LinkedPlan, type PlanRig, startPlanRig } from '../../support/plan-rig.ts';
import { axeFindingsInBoth } from './console-visit.ts';
import { type Site, startSite } from './site.ts';

let plans: PlanRig;
let site: Site;
let page: Page;
let complaints: string[];
let plan: LinkedPlan;
const at = (name: string): string => join(plans.rig.base, name);

beforeAll(async () => {
  plans = await startPlanRig();
  await plans.rig.startWorker({ queues: ['plan'] });
  site = await startSite({ rig: plans.rig, plans: plans.plans });
  writeFileSync(at('contract.pdf'), 'x');
  plan = await plans.link(
    envelopeOf([
      fileStep('FILE_COPY', at('contract.pdf'), at('archived.pdf')),
      fileStep('FILE_MOVE', at('annex.pdf'), at('archived-annex.pdf')),
      fileStep('FILE_DELETE', at('contract.pdf')),
    ]),
  );
  await plans.push(plan);
  await plans.view(plan.id, ({ current }) => current !== undefined);
  ({ page, complaints } = await site.page());
  page.setDefaultTimeout(PATIENCE_MS);
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await plans[Symbol.asyncDispose]();
});

const picture = (name: string) => site.picture(page, name);
const dataOf = async (status: string): Promise<string> => {
  await page.goto(`${site.url}/board/queue/plan/p_${plan.id}?status=${status}`);
  await page.getByRole('tab', { name: 'Data' }).click();
  await page.getByText(`"${plan.id}"`, { exact: true }).waitFor();
  return (await page.getByRole('tree').textContent()) ?? '';
};

describe('an operator who looks at a plan', () => {
  it('reads at which step it is while it waits', async () => {
    await site.logIn(page, '/board/queue/plan?status=latest', await site.board.key(['operate'], 'olaf'));
    const shown = await dataOf('latest');
    expect(shown).toMatch(/steps_done:\s*0,/);
    expect(shown).toMatch(/current_step:\s*"0"/);
    await picture('plan-waits');
  });

  it('finds it among the failed, with the step that ended it and its code', async () => {
    await plans.rig.startWorker({ queues: ['file'] });
    await plans.ended(plan.id);
    await page.goto(`${site.url}/board/queue/plan?status=failed`);
    await page.getByText(/^EXECUTION_FAILED: .*does not exist \(step 1\)$/).waitFor();
    await picture('plan-failed');
  });

  it('reads how many steps have their answer, and nothing of what it remembers', async () => {
    const shown = await dataOf('failed');
    expect(shown).toMatch(/steps_done:\s*2/);
    expect(shown).toMatch(/lease_expires:\s*"\d{4}-\d\d-\d\dT[\d:]+Z \(in \d+ (h|min)\)"/);
    expect(shown).not.toMatch(/envelope|memory|annex/);
    expect(await page.getByRole('link', { name: 'Plan', exact: true }).getAttribute('href')).toBe(`/v1/plans/${plan.id}`);
    await picture('plan-job');
  });

  it('runs it on with Retry: the step that ended it is done again, those before it are not', async () => {
    writeFileSync(at('annex.pdf'), 'annex');
    writeFileSync(at('archived.pdf'), 'changed since');
    await page.goto(`${site.url}/board/queue/plan/p_${plan.id}?status=failed`);
    await page.locator('ul[class*="jobActions-"] button:visible').click();
    await page.getByRole('button', { name: 'Confirm' }).click();
    await plans.ended(plan.id, ({ state }) => state === 'success');
    expect([readFileSync(at('archived.pdf'), 'utf8'), readFileSync(at('archived-annex.pdf'), 'utf8'), existsSync(at('contract.pdf'))]).toEqual([
      'changed since',
      'annex',
      false,
    ]);
    const lines = (await readFile(site.board.auditFile, 'utf8')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line)).map(({ who, action, subject, outcome }) => [who, action, subject, outcome])).toEqual([
      ['olaf', 'plan.retry', plan.id, 'asked'],
      ['olaf', 'plan.retry', plan.id, 'done'],
    ]);
  });

  it('sees that it has succeeded, with all of its steps', async () => {
    const shown = await dataOf('completed');
    expect(shown).toMatch(/steps_done:\s*3/);
    expect(shown).not.toMatch(/current_step/);
    await page.getByText('"SUCCESS"').waitFor();
    await picture('plan-succeeded');
  });

  it('finds the plan on the console, with its timeline, graph and tasks, in light and dark', async () => {
    await page.context().clearCookies();
    await site.logIn(page, '/console', await site.board.key(['read', 'operate'], 'olaf-2'));
    await page.getByRole('cell', { name: 'plan', exact: true }).waitFor();
    await page.getByRole('link', { name: 'Plans' }).click();
    await page.getByLabel('State').selectOption('success');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByRole('link', { name: plan.id.slice(0, 16) }).click();
    await page.getByRole('img', { name: /^Timeline of 4 steps/ }).waitFor();
    await page.getByRole('img', { name: 'Graph of 4 steps' }).waitFor();
    expect(await page.getByRole('row').filter({ hasText: 'voided by a retry' }).count()).toBe(1);
    expect(await axeFindingsInBoth(page, (colours) => site.picture(page, `console-plan-${colours}`, { fullPage: true }))).toEqual([]);
  });

  it('walks the console with the keyboard alone, on every page sound for screen readers', async () => {
    const step = await plans.plans.history(plan.id, { limit: 1 });
    const task = step?.steps[0]?.task_id ?? '';
    site.board.indexed.push({
      ...{ task_id: task, capability_id: 'FILE_COPY', queue: 'file', state: 'failure', error_code: 'EXECUTION_FAILED', attempts: 1, plan: plan.id },
      ...{ message: '<img src=x onerror=alert(1)>\u202egnp.exe '.repeat(40), submitted_at: new Date().toISOString(), updated_at: new Date().toISOString() },
    });
    await page.goto(`${site.url}/console`);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${site.url}/console/tasks`);
    const inputs = { source_path: at('annex.pdf'), destination_path: at('nightly.pdf') };
    await plans.kernel.schedules('olaf').add({ manifest: { task_id: 'nightly', capability_id: 'FILE_COPY', inputs, constraints: {} }, cron: '0 2 * * *' });
    const paths = ['', 'tasks', `tasks/${task}`, 'plans', 'approvals', 'schedules', 'schedules/nightly', 'webhooks', 'sessions', 'tasks/nobody'];
    for (const path of paths.map((one) => `/console/${one}`)) {
      await page.goto(site.url + path);
      const name = `console${path.slice(8).replaceAll('/', '-').slice(0, 20)}`;
      const findings = await axeFindingsInBoth(page, (colours) => site.picture(page, `${name}-${colours}`, { fullPage: true }));
      expect([path, findings]).toEqual([path, []]);
    }
  });

  it('logs another browser out, and then itself', async () => {
    const other = await site.page();
    await site.logIn(other.page, '/console/plans', await site.board.key(['read'], 'reader'));
    await page.goto(`${site.url}/console/sessions`);
    await page.getByText('Log reader out…').click();
    await page.getByRole('button', { name: 'Yes, log reader out' }).click();
    await page.getByRole('status').waitFor();
    await other.page.reload();
    expect(new URL(other.page.url()).pathname).toBe('/login');
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.waitForURL(`${site.url}/login`);
    await page.goto(`${site.url}/console`);
    expect(new URL(page.url()).pathname).toBe('/login');
  });

  it('met nothing that the browser had to block, and nothing from another host', () => {
    // A page that is not there is one of those that were walked.
    expect(complaints.filter((text) => !/status of 404/.test(text))).toEqual([]);
  });
});
