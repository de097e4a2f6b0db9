import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { SqliteDatabase } from '../../../src/adapters/sqlite/open.ts';
import { listTasks } from '../../../src/adapters/sqlite/task-index/task-index-list.ts';
import { openIndex } from '../../../src/adapters/sqlite/task-index/task-index-open.ts';
import type { TaskFilter } from '../../../src/contracts/index.ts';

const directory = mkdtempSync(join(tmpdir(), 'writ-index-plan-'));
const { db } = openIndex(join(directory, 'index.db'), (index) => index);
afterAll(() => {
  db.close();
  rmSync(directory, { recursive: true });
});

/** The plans of every statement that a page prepares, of a page in the midst of others. */
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
  listTasks(watched, filter, { limit: 100, cursor: '1767225600000-7' });
  return plans;
}

const SINGLE: readonly TaskFilter[] = [
  { state: 'failure' },
  { capability: 'FILE_MOVE' },
  { error_code: 'LEASE_EXPIRED' },
  { plan: 'p' },
  { path: '/a' },
  { since: '2026-01-01T00:00:00Z' },
  { until: '2026-01-01T00:00:00Z' },
];
const PAIRS = SINGLE.flatMap((one, at) => SINGLE.slice(at + 1).map((other) => ({ ...one, ...other })));
const MANY: readonly TaskFilter[] = [{}, { state: 'failure', plan: 'p', error_code: 'LEASE_EXPIRED', path: '/a', until: '2026-01-01T00:00:00Z' }];

describe('a page of tasks', () => {
  it.each([...SINGLE, ...PAIRS, ...MANY].map((filter) => [JSON.stringify(filter), filter] as const))(
    'finds its places in indexes alone for %s',
    (_, filter) => {
      const plans = plansOf(filter);
      expect(plans.some((plan) => plan.startsWith('SEARCH task USING COVERING INDEX'))).toBe(true);
      expect(plans.filter((plan) => /^SCAN task/.test(plan))).toEqual([]);
      // The table itself is asked for rows by their numbers only.
      expect(plans.filter((plan) => /^SEARCH task USING (?!COVERING INDEX|INTEGER PRIMARY KEY)/.test(plan))).toEqual([]);
      // Only the newest rows beneath a path, a page of them, are sorted.
      if (filter.path === undefined) expect(plans.filter((plan) => plan.includes('TEMP B-TREE'))).toEqual([]);
    },
  );
});
