import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../../../config/package.ts';
import { examinePlans } from '../../../../src/adapters/tool-bindings/doctor.ts';
import { WritClient } from '../../../../src/surfaces/client/index.ts';
import { type HttpProvider, startHttpProvider } from '../../../support/http-provider.ts';
import { PATIENCE_MS } from '../../../support/patience.ts';
import { envelopeOf } from '../../../support/plan-rig.ts';
import { type Site, startSite } from './routes-site.ts';

/** The worked use case of docs/plans.md: shipped definitions, a binding of the user, a real webhook. */

let registry: string;
let hook: HttpProvider;
let site: Site;

beforeAll(async () => {
  hook = await startHttpProvider();
  registry = mkdtempSync(path.join(tmpdir(), 'writ-registry-'));
  mkdirSync(path.join(registry, 'config/tool-bindings'), { recursive: true });
  const { host } = new URL(hook.url);
  const request = { method: 'POST', url: `${hook.url}/hooks/writ`, body: '{{params.payload}}' };
  const binding = { tool: 'http.webhook', adapter: 'http', http: { hosts: [host], allow: ['127.0.0.1'] }, actions: { post: { effect: 'once', request } } };
  writeFileSync(path.join(registry, 'config/tool-bindings/http.webhook.json'), JSON.stringify(binding));
  site = await startSite({ searchable: true, config: { plan: { registry_dir: registry } } });
  await site.rig.startWorker();
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await hook[Symbol.asyncDispose]();
  rmSync(registry, { recursive: true });
});

describe('contracts.archive.run', () => {
  it('copies every find, deletes the originals reversibly, and tells the webhook once, however often it is pushed', async () => {
    const { rig } = site;
    const client = new WritClient({ baseUrl: site.url, key: site.secret('operator') });
    for (const name of ['contract-a', 'contract-b', 'memo']) site.file(name);
    const params = { query: 'contract-', scope: 'base', max_results: 10, root: rig.base, archive: rig.otherBase };
    const envelope = envelopeOf([{ type: 'usecase', ref: 'contracts.archive.run', params }]) as Record<string, unknown>;
    const { plan_id: id, lease, capabilities } = await client.leases.issuePlan(envelope);
    expect(capabilities).toEqual(['FILE_COPY', 'FILE_DELETE', 'SEARCH_FILES', 'TOOL_CALL:http.webhook']);
    await client.plans.submit(envelope, { lease });
    expect(await client.plans.wait(id, { timeoutMs: PATIENCE_MS })).toMatchObject({ state: 'success', steps_done: 6 });
    expect(await client.plans.submit(envelope, { lease })).toMatchObject({ ended: true, replayed: true });

    expect(['contract-a', 'contract-b', 'memo'].map((name) => existsSync(path.join(rig.base, name)))).toEqual([false, false, true]);
    expect(['contract-a', 'contract-b'].map((name) => existsSync(path.join(rig.otherBase, name)))).toEqual([true, true]);
    expect(hook.asked).toEqual([
      {
        path: '/hooks/writ',
        key: expect.stringMatching(/^s-[0-9a-f]{64}$/),
        body: { event: 'contracts.archived', query: 'contract-', archive: rig.otherBase, count: 2 },
      },
    ]);

    // Its tasks are found by the plan, and what it deleted comes back.
    await expect.poll(async () => (await site.ask(`/v1/tasks?plan=${id}`)).body.tasks.length).toBe(6);
    const { tasks } = (await site.ask(`/v1/tasks?plan=${id}&capability=FILE_DELETE`)).body as { tasks: { task_id: string }[] };
    expect(await client.tasks.undo(tasks[0]?.task_id ?? '', { wait: 20 })).toMatchObject({ ended: true, task: { state: 'success' } });
    expect(['contract-a', 'contract-b'].filter((name) => existsSync(path.join(rig.base, name)))).toHaveLength(1);
  });

  it('is what doctor tells of: definitions and bindings, and the file with a fault', async () => {
    expect(await examinePlans({ shipped: packageRoot(), own: site.rig.config.plan.registry_dir })).toMatchObject([
      { title: 'registries', level: 'ok', found: '6 tools, 8 capabilities, 3 use cases' },
      { title: 'tool bindings', level: 'ok', found: expect.stringContaining('http.webhook') },
    ]);
    const own = mkdtempSync(path.join(tmpdir(), 'writ-registry-'));
    mkdirSync(path.join(own, 'config/tool-bindings'), { recursive: true });
    writeFileSync(path.join(own, 'config/tool-bindings/crm.json'), JSON.stringify({ tool: 'crm', adapter: 'writ' }));
    expect(await examinePlans({ shipped: packageRoot(), own })).toMatchObject([{ level: 'ok' }, { level: 'warn', found: expect.stringContaining('crm') }]);
    writeFileSync(path.join(own, 'config/tool-bindings/crm.json'), '{}');
    expect(await examinePlans({ shipped: packageRoot(), own })).toMatchObject([
      { level: 'ok' },
      { level: 'fail', found: expect.stringContaining('config/tool-bindings/crm.json') },
    ]);
    rmSync(own, { recursive: true });
  });
});
