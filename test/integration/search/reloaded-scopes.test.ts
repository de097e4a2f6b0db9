import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { judgeReload } from '../../../config/reloadable.ts';
import { searchService } from '../../../src/bin/roles/search-service.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { type Lifecycle, sequential } from '../../../src/core/lifecycle.ts';
import type { Execution } from '../../../src/core/outcome.ts';
import { createAuditLog } from '../../../src/data-dir/audit-log.ts';
import { dataDirPaths } from '../../../src/data-dir/paths.ts';
import { createLogger } from '../../../src/observability/logging.ts';
import { createMetrics } from '../../../src/observability/metrics.ts';
import { holdSettings } from '../../../src/reload/live-settings.ts';
import { context } from '../../support/file-executor.ts';
import { manifestOf } from '../../support/rig.ts';

let home: string;
beforeAll(() => {
  home = mkdtempSync(path.join(tmpdir(), 'writ-scopes-'));
  for (const name of ['near', 'next']) {
    mkdirSync(path.join(home, name));
    writeFileSync(path.join(home, name, `contract-${name}`), '');
  }
});
afterAll(() => rmSync(home, { recursive: true }));

const settingsWith = (scope: string) => {
  writeFileSync(path.join(home, 'writ.toml'), `[worker]\nsearch_concurrency = 1\n[search.scopes.${scope}]\nkind = "files"\npath = "${home}/${scope}"`);
  return loadConfig({ env: {}, dataDir: home }).config;
};

describe('searches of a worker whose scopes are reloaded', () => {
  let parts: Lifecycle | undefined;
  afterAll(() => parts?.stop());

  it('find in a scope that came, and are refused in one that was taken away', async () => {
    const config = settingsWith('near');
    const settings = holdSettings(config);
    const log = createLogger('silent', 'worker');
    const roleContext = { config, places: dataDirPaths(home), log, reloadable: { settings, read: () => config } };
    const service = searchService(roleContext, { metrics: createMetrics('worker', '0'), tracer: undefined });
    parts = sequential(service.parts);
    await parts.start();
    const found = async (scope: string): Promise<unknown> => {
      const manifest = manifestOf('SEARCH_FILES', '', undefined, { inputs: { query: 'contract', target_scope: scope, max_results: 1 } });
      return told(await service.executors[0].execute({ manifest, manifestSha256: '', epoch: 1 } as never, context() as never));
    };
    const before = [await found('near'), await found('next')];
    const end = await settings.reload('me', {
      role: 'worker 1',
      read: () => settingsWith('next'),
      judge: judgeReload,
      audit: createAuditLog({ file: path.join(home, 'audit.ndjson'), clock: systemClock }),
      tell: () => undefined,
      warn: () => undefined,
    });
    expect([end, before, [await found('near'), await found('next')]]).toEqual([
      { outcome: 'taken', changed: ['search.scopes'], restart: [] },
      [['contract-near'], 'SCOPE_NOT_ALLOWED'],
      ['SCOPE_NOT_ALLOWED', ['contract-next']],
    ]);
  });
});

function told(end: Execution): unknown {
  if (end.kind !== 'outcome') return end.kind;
  return end.outcome.status === 'SUCCESS' ? (end.outcome.output['results'] as { id: string }[]).map(({ id }) => id) : end.outcome.error.error_code;
}
