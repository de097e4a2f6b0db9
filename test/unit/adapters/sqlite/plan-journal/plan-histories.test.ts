import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPlanHistories } from '../../../../../src/adapters/sqlite/plan-journal/plan-histories.ts';
import { createPlanJournal } from '../../../../../src/adapters/sqlite/plan-journal/plan-journal.ts';
import type { PlanEnd } from '../../../../../src/core/ports/index.ts';
import { wishAt } from '../../../../support/wishes.ts';

const idOf = (n: number): string => n.toString(16).padStart(64, '0');
const endOf = (status: PlanEnd['status'], code: string | undefined): PlanEnd => ({ status, code, message: 'why\u202e', endedBy: '1', result: '{}' });
const answer = (status: string, code?: string): string => JSON.stringify({ status, error: code === undefined ? null : { error_code: code } });

/** Twelve plans: each third runs, failed, succeeded; three changes share a millisecond. */
describe('the lists of the plan journal', () => {
  let directory: string;
  let journal: ReturnType<typeof createPlanJournal>;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'writ-plan-histories-'));
    journal = createPlanJournal({ directory });
    await journal.start();
    for (let n = 0; n < 12; n += 1) {
      const planSha256 = idOf(n);
      const at = 1000 + Math.floor(n / 3) * 1000;
      await journal.begin({ planSha256, envelope: '{}', lease: 'l', wish: wishAt() }, at);
      if (n % 3 === 1) await journal.end({ planSha256, generation: 0 }, endOf('FAILURE', n === 1 ? 'RARE' : 'TOOL_FAILED'), at);
      if (n % 3 === 2) await journal.end({ planSha256, generation: 0 }, endOf('SUCCESS', undefined), at);
    }
  });
  afterAll(async () => {
    await journal.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const every = (filter: Parameters<ReturnType<typeof createPlanHistories>['list']>[0], limit: number): string[] => {
    const histories = createPlanHistories(directory);
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const page = histories.list(filter, { limit, ...(cursor === undefined ? {} : { cursor }) });
      expect(page.plans.length).toBeLessThanOrEqual(limit);
      ids.push(...page.plans.map(({ id }) => id));
      cursor = page.next;
    } while (cursor !== undefined);
    return ids;
  };
  const sorted = [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0].map(idOf);

  it.each([1, 2, 5, 11, 12, 500])('show every plan once, newest change first, in pages of %i', (limit) => {
    expect(new Set(every({}, limit)).size).toBe(12);
    expect(every({}, limit)).toEqual(sorted);
  });

  it('have what each plan runs as, and nothing of a plan that they do not know', () => {
    const histories = createPlanHistories(directory);
    expect(histories.kept(idOf(3))).toEqual({ envelope: {}, lease: 'l' });
    expect(histories.kept(idOf(99))).toBeUndefined();
    expect(createPlanHistories(join(directory, 'nowhere')).kept(idOf(3))).toBeUndefined();
  });

  it('are narrowed by state, code and time', () => {
    expect(every({ state: 'failure' }, 2)).toEqual([10, 7, 4, 1].map(idOf));
    expect(every({ error_code: 'RARE' }, 2)).toEqual([idOf(1)]);
    expect(every({ state: 'success', error_code: 'RARE' }, 2)).toEqual([]);
    expect(every({ since: new Date(2000).toISOString(), until: new Date(4000).toISOString() }, 4)).toEqual([8, 7, 6, 5, 4, 3].map(idOf));
    expect(every({ state: 'waiting' }, 4)).toEqual([]);
  });

  it('tell why a plan failed, and how far it came', () => {
    const [plan] = createPlanHistories(directory).list({ error_code: 'RARE' }, { limit: 1 }).plans;
    expect(plan).toEqual({ id: idOf(1), state: 'failure', stepsDone: 0, error: { code: 'RARE', message: 'why\u202e' }, updated: 1000 });
    expect(createPlanHistories(directory).known(idOf(1))).toEqual(plan);
    expect(createPlanHistories(directory).known(idOf(4711))).toBeUndefined();
  });

  it.each(['x', '1', `1-${'g'.repeat(64)}`, `${'9'.repeat(20)}-${idOf(1)}`])('refuse the cursor %s', (cursor) => {
    expect(() => createPlanHistories(directory).list({}, { cursor, limit: 1 })).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT', field: 'cursor' }));
  });

  it('tell of each step when its turn began, also after a retry, and what was voided', async () => {
    const planSha256 = idOf(99);
    const step = (path: string, generation: number, executorResult: string) => ({
      path,
      generation,
      taskId: `s-${path}`,
      executorResult,
      capabilityId: 'FILE_COPY',
    });
    await journal.begin({ planSha256, envelope: '{}', lease: 'l', wish: wishAt() }, 100_000);
    await journal.append(planSha256, step('0', 0, answer('SUCCESS')), 101_000);
    await journal.append(planSha256, step('1', 0, answer('FAILURE', 'TOOL_FAILED')), 105_000);
    await journal.end({ planSha256, generation: 0 }, endOf('FAILURE', 'TOOL_FAILED'), 105_001);
    await journal.begin({ planSha256, envelope: '{}', lease: 'l2', wish: wishAt(1) }, 200_000);
    await journal.append(planSha256, step('1', 1, answer('SUCCESS')), 200_500);
    const histories = createPlanHistories(directory);
    const at = (ms: number): string => new Date(ms).toISOString();
    const common = { capability_id: 'FILE_COPY' };
    const steps = [
      { ...common, path: '0', task_id: 's-0', generation: 0, state: 'success', voided: false, since: at(100_000), ended_at: at(101_000) },
      {
        ...common,
        path: '1',
        task_id: 's-1',
        generation: 0,
        state: 'failure',
        error_code: 'TOOL_FAILED',
        voided: true,
        since: at(101_000),
        ended_at: at(105_000),
      },
      { ...common, path: '1', task_id: 's-1', generation: 1, state: 'success', voided: false, since: at(200_000), ended_at: at(200_500) },
    ];
    const head = { plan_id: planSha256, state: 'running', retries: 1, updated_at: at(200_500) };
    expect(histories.history(planSha256, { limit: 10 })).toEqual({ ...head, steps });
    expect(histories.history(planSha256, { limit: 2 })).toEqual({ ...head, steps: steps.slice(0, 2), next: '2' });
    expect(histories.history(planSha256, { limit: 2, cursor: '2' })).toEqual({ ...head, steps: steps.slice(2) });
    expect(histories.history(idOf(4711), { limit: 2 })).toBeUndefined();
    expect(() => histories.history(planSha256, { limit: 2, cursor: '-1' })).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
  });

  it('are empty where no journal lies, and say so when it cannot be read', () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'writ-plan-histories-'));
    try {
      expect(createPlanHistories(elsewhere).list({}, { limit: 1 })).toEqual({ plans: [] });
      expect(createPlanHistories(elsewhere).states([idOf(1)]).size).toBe(0);
      writeFileSync(join(elsewhere, 'plan.db'), 'no database at all, and long enough to be looked at as one '.repeat(20));
      expect(() => createPlanHistories(elsewhere).list({}, { limit: 1 })).toThrow(expect.objectContaining({ code: 'STORAGE_UNAVAILABLE' }));
    } finally {
      rmSync(elsewhere, { recursive: true, force: true });
    }
  });
});
