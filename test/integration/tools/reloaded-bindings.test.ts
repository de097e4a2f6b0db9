import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { toolServices } from '../../../src/bin/roles/tool-services.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { sequential } from '../../../src/core/lifecycle.ts';
import { createAuditLog } from '../../../src/data-dir/audit-log.ts';
import { dataDirPaths } from '../../../src/data-dir/paths.ts';
import type { ToolExecutor } from '../../../src/executors/tool/index.ts';
import { createLogger } from '../../../src/observability/logging.ts';
import { createMetrics } from '../../../src/observability/metrics.ts';
import { followBindings } from '../../../src/reload/live-bindings.ts';
import { holdSettings } from '../../../src/reload/live-settings.ts';
import { answerOk, startHttpProvider } from '../../support/http-provider.ts';
import { callTask, deliver } from '../../support/tools.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'writ-reloaded-tools-'));
});
afterEach(() => rmSync(home, { recursive: true }));

it('a call in flight ends by the binding that it began with, and the next one goes by the new one', async () => {
  const held: ServerResponse[] = [];
  await using old = await startHttpProvider((_asked, response) => void held.push(response));
  await using next = await startHttpProvider(answerOk);
  bind('crm', old.url);
  bind('more', old.url);
  const config = loadConfig({ env: {}, dataDir: home }).config;
  const settings = holdSettings(config);
  const live = followBindings([home], settings);
  const roleContext = { config, places: dataDirPaths(home), log: createLogger('silent', 'worker') };
  const { services } = toolServices(roleContext, live, { serves: () => true, metrics: createMetrics('worker', '0'), tracer: undefined }, {});
  const running = sequential(services.flatMap(({ parts }) => parts));
  await running.start();
  const executor = services[0]?.executors[0] as ToolExecutor;
  const first = callTask('crm', 'add');
  const inFlight = deliver(executor, first);
  await expect.poll(() => held.length).toBe(1);

  bind('crm', next.url);
  rmSync(path.join(home, 'config/tool-bindings/more.json'));
  const end = await settings.reload('me', {
    role: 'worker 1',
    read: () => config,
    judge: (now) => ({ config: now, changed: [], restart: [] }),
    audit: createAuditLog({ file: path.join(home, 'audit.ndjson'), clock: systemClock }),
    tell: () => undefined,
    warn: () => undefined,
  });
  expect(end).toEqual({ outcome: 'taken', changed: ['config/tool-bindings/crm.json', 'config/tool-bindings/more.json'], restart: [] });
  // A second delivery of the call that the old binding has in hand.
  expect(await executor.execute(first, { signal: new AbortController().signal, gate: () => undefined })).toMatchObject({ kind: 'busy' });
  expect(await deliver(executor, callTask('crm', 'add'))).toMatchObject({ outcome: { status: 'SUCCESS' } });
  expect(await deliver(executor, callTask('more', 'add'))).toMatchObject({ outcome: { error: { error_code: 'TOOL_UNAVAILABLE' } } });
  for (const response of held) answerOk({ path: '', key: undefined, body: undefined }, response);
  expect(await inFlight).toMatchObject({ outcome: { status: 'SUCCESS' } });
  // Its end is in the journal, though another generation has concluded it.
  expect(await deliver(executor, first)).toMatchObject({ outcome: { status: 'SUCCESS' }, replayed: true });
  expect([old.asked.length, next.asked.length]).toEqual([1, 1]);
  await running.stop();
});

/** A binding with one action, whose request leaves at most once. */
function bind(tool: string, url: string): void {
  const folder = path.join(home, 'config/tool-bindings');
  mkdirSync(folder, { recursive: true });
  const binding = {
    ...{ tool, adapter: 'http', provider: 'crm', http: { hosts: [new URL(url).host], allow: ['127.0.0.1'] } },
    actions: { add: { effect: 'once', request: { method: 'POST', url: `${url}/v1/items` } } },
  };
  writeFileSync(path.join(folder, `${tool}.json`), JSON.stringify(binding));
}
