import { describe, expect, it } from 'vitest';
import { createLedgerRecovery } from '../../../processors/ledger-recovery.ts';
import { createMemoryLedger } from '../../../src/adapters/memory/ledger.ts';
import { createMemoryChannels } from '../../../src/adapters/memory/signals.ts';
import { MAX_RESULT_BYTES } from '../../../src/core/ledger-life.ts';
import type { FinishedTask } from '../../../src/core/ports/index.ts';
import { testClock } from '../../fixtures/authority/world.ts';

describe('the recovery of a lost ledger', () => {
  it('restores what a journal has, leaves out what is too large for the ledger, and lets everybody claim again', async () => {
    const clock = testClock();
    const ledger = createMemoryLedger({ retentionMs: 86_400_000, clock, channels: createMemoryChannels() });
    const finished = (taskId: string, bytes: number): FinishedTask => ({
      taskId,
      manifestSha256: 'a'.repeat(64),
      result: 'x'.repeat(bytes),
      exp: 2_000_000_000,
    });
    const rows = [finished('a', 10), finished('b', MAX_RESULT_BYTES + 1), finished('c', MAX_RESULT_BYTES)];
    const reported: number[] = [];
    await createLedgerRecovery({
      ledger,
      memories: [{ successes: async (after) => rows.filter(({ taskId }) => after === undefined || taskId > after).slice(0, 1) }],
      republishRevocations: async () => undefined,
      newGeneration: () => 'second',
      clock,
      report: (restored) => void reported.push(restored),
    })();
    expect(await Promise.all(rows.map(({ taskId }) => ledger.row(taskId)))).toMatchObject([{ state: 'success' }, undefined, { state: 'success' }]);
    const request = { manifestSha256: 'a'.repeat(64), jobKey: 'file:1', instance: 'worker', exp: 2_000_000_000, now: clock.now() };
    expect(await ledger.claim({ taskId: 'b', ...request })).toMatchObject({ kind: 'new' });
    expect(reported).toEqual([2]);
  });
});
