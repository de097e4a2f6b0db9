import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openKernelStore } from '../../../src/adapters/sqlite/kernel-store/kernel-store.ts';
import { openDatabase } from '../../../src/adapters/sqlite/open.ts';
import type { ApprovalStore, ApprovalWord } from '../../../src/core/ports/index.ts';
import { createApprovalRegister } from '../../../src/kernel/index.ts';
import { memoryApprovals } from '../../fixtures/approvals/memory-store.ts';
import { testClock } from '../../fixtures/authority/world.ts';

const PLAN = 'a'.repeat(64);
const STEP = 's-1';

function sqliteApprovals(): { readonly store: ApprovalStore; readonly directory: string } {
  const directory = mkdtempSync(join(tmpdir(), 'writ-approvals-'));
  const store = openKernelStore(directory);
  onTestFinished(() => {
    store.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return { store: store.approvals, directory };
}

/** A question for ten seconds. */
function world(store: ApprovalStore, role: 'approve' | 'kernel' = 'approve') {
  const clock = testClock();
  const askedAt = clock.now();
  store.ask({ taskId: STEP, planSha256: PLAN, path: '0', manifestSha256: 'b'.repeat(64), role, question: 'Shall it?', askedAt, until: askedAt + 10_000 });
  const register = createApprovalRegister(store, clock);
  const say = (answer: ApprovalWord['answer'], by = 'ada', more: Partial<ApprovalWord> = {}) =>
    register.decide({ planSha256: PLAN, taskId: STEP, answer, ...more }, ['read', 'approve'], by);
  return { clock, register, say, store };
}

describe.each([
  ['in SQLite', () => sqliteApprovals().store],
  ['in memory', memoryApprovals],
] as const)('the register of approvals, %s', (_where, open) => {
  it('takes the first word, answers the same word alike, and refuses another one with who was first', () => {
    const { say, register, clock } = world(open());
    const first = say('approve', 'ada', { note: 'looks right', data: { limit: 5 } });
    expect(first).toMatchObject({ state: 'approved', decided_by: 'ada', note: 'looks right', data: { limit: 5 } });
    clock.advance(5_000);
    expect(say('approve', 'bob', { note: 'me too' })).toEqual(first);
    expect(() => say('deny', 'bob')).toThrow(/^it was approved by ada at /);
    expect(register.list(undefined)).toEqual([]);
    expect(register.list(PLAN)).toEqual([first]);
  });

  it('takes no word from the deadline on, also when the clock is set back', () => {
    const { say, register, clock } = world(open());
    clock.advance(9_999);
    expect(register.list(undefined)).toMatchObject([{ state: 'open' }]);
    clock.advance(1);
    expect(register.list(PLAN)).toMatchObject([{ state: 'expired' }]);
    expect(() => say('approve')).toThrow(/^too late: the deadline was /);
    clock.advance(-5_000);
    expect(() => say('approve')).toThrow(/^too late: /);
    expect(register.list(PLAN)).toMatchObject([{ state: 'expired' }]);
  });

  it('answers a repetition after the deadline with the decision of before', () => {
    const { say, clock } = world(open());
    const first = say('deny');
    clock.advance(60_000);
    expect(say('deny')).toEqual(first);
  });

  it('wants the role that the step names', () => {
    const { say, register } = world(open(), 'kernel');
    expect(() => say('approve')).toThrow('this step waits for somebody with the role kernel');
    expect(register.list(undefined)).toMatchObject([{ state: 'open' }]);
  });

  it('knows nothing of a step that was not reached, or that belongs to another plan', () => {
    const { say } = world(open());
    for (const more of [{ taskId: 's-2' }, { planSha256: 'c'.repeat(64) }]) expect(() => say('approve', 'ada', more)).toThrow(/asked no such question/);
  });

  it('keeps what was asked first, and its deadline', () => {
    const { store, clock } = world(open());
    const before = store.approval(STEP);
    clock.advance(5_000);
    expect(store.ask({ ...before, question: 'Another?', until: clock.now() + 10_000 } as never)).toEqual(before);
  });

  it('takes data with an approval only, at most 16 KiB of it and not too deep', () => {
    const { say } = world(open());
    expect(() => say('deny', 'ada', { data: {} })).toThrow('only an approval brings data');
    expect(() => say('approve', 'ada', { data: { text: 'x'.repeat(16_384) } })).toThrow(/at most 16384 are allowed/);
    expect(() => say('approve', 'ada', { data: JSON.parse(`{"a":${'['.repeat(17)}${']'.repeat(17)}}`) })).toThrow(/cannot travel in a result/);
    expect(say('approve', 'ada', { data: { ok: true } })).toMatchObject({ state: 'approved' });
  });
});

describe('the table of approvals', () => {
  it('refuses to forget a row, to change its question, to decide it twice, and a row that is born decided', () => {
    const { store, directory } = sqliteApprovals();
    world(store).say('deny');
    const db = openDatabase(join(directory, 'kernel.db'));
    onTestFinished(() => void db.close());
    for (const [sql, why] of [
      ['DELETE FROM approval', 'stays on record'],
      [`UPDATE approval SET state = 'approved'`, 'decided once'],
      [
        `INSERT INTO approval SELECT 's-9', plan_sha256, path, manifest_sha256, role, question, asked_at, until, 'approved', 1, 'eve', NULL, NULL FROM approval`,
        'asked before it is decided',
      ],
    ] as const)
      expect(() => db.exec(sql)).toThrow(why);
    store.ask({ taskId: 's-3', planSha256: PLAN, path: '1', manifestSha256: 'b'.repeat(64), role: 'approve', question: '?', askedAt: 1, until: 2 });
    expect(() => db.exec(`UPDATE approval SET until = 99 WHERE task_id = 's-3'`)).toThrow('keeps its question and its deadline');
  });
});
