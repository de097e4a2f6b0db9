import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { placesIn, settingsToml } from '../../../../bench/search-executor/scopes.ts';
import { loadConfig } from '../../../../config/load.ts';

it('the settings of the benchmark are taken by the product: all scopes, and the default limits', () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'writ-bench-scopes-'));
  const places = placesIn({ files80k: '/srv/a "b"/files80k', files1m: '/srv/f', rows: '/srv/r', mail: '/srv/m' });
  writeFileSync(path.join(dataDir, 'writ.toml'), settingsToml(places));
  const { search } = loadConfig({ dataDir, env: {} }).config;
  rmSync(dataDir, { recursive: true });
  expect(search.max_run_s).toBe(600);
  expect(Object.fromEntries(Object.entries(search.scopes).map(([id, scope]) => [id, 'path' in scope && scope.path]))).toEqual(places);
  expect(search.scopes['csv']).toMatchObject({ kind: 'datasets', format: 'csv', primary_key: 'id', numeric: ['id', 'amount'] });
});
