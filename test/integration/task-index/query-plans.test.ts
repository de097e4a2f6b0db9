import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { SqliteDatabase } from '../../../src/adapters/sqlite/open.ts';
import { listTasks } from '../../../src/adapters/sqlite/task-index-list.ts';
import { openIndex } from '../../../src/adapters/sqlite/task-index-open.ts';
import type { TaskFilter } from '../../../src/contracts/index.ts';

const directory = mkdtempSync(join(tmpdir(), 'writ-index-plan-'));
const { db } = openIndex(join(directory, 'index.db'));
afterAll(() => {
  db.close();
  rmSync(directory, { recursive: true });
});

/** The plans of every statement that a page prepares. */
function plansOf(filter: TaskFilter): readonly string[] {
  const plans: string[] = [];
  const watched: Pick<SqliteDatabase, 'prepare'> = {
    prepare: ((sql: string) => {
      const names = [...new Set(sql.match(/@\w+/g) ?? [])].map((name) => [name.slice(1), 1]);
      for (const row of db.prepare<[Record<string, number>], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(Object.fromEntries(names)))
        plans.push(row.detail);
      return db.prepare(sql);
    }) as SqliteDatabase['prepare'],
  };
  listTasks(watched, filter, { limit: 100 });
  return plans;
}

const FILTERS: readonly TaskFilter[] = [
  {},
  { state: 'failure' },
  { capability: 'FILE_MOVE' },
  { state: 'failure', capability: 'FILE_MOVE' },
  { error_code: 'LEASE_EXPIRED' },
  { plan: 'p' },
  { path: '/a' },
  { path: '/a', state: 'failure', since: '2026-01-01T00:00:00Z' },
  { state: 'failure', plan: 'p', error_code: 'LEASE_EXPIRED', until: '2026-01-01T00:00:00Z' },
];

describe('a page of tasks', () => {
  for (const filter of FILTERS) {
    it(`reads no table from end to end for ${JSON.stringify(filter)}`, () => {
      const plans = plansOf(filter);
      expect(plans.some((plan) => plan.startsWith('SEARCH task USING'))).toBe(true);
      expect(plans.filter((plan) => /^SCAN task/.test(plan))).toEqual([]);
      // Only rows beneath a path, of which there are few by then, are sorted.
      if (filter.path === undefined) expect(plans.filter((plan) => plan.includes('TEMP B-TREE FOR ORDER BY'))).toEqual([]);
    });
  }
});
