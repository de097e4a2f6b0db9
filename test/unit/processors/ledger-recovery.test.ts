import { beforeEach, describe, expect, it } from 'vitest';
import { createLedgerRecovery, type LedgerRecovery, type LedgerRecoveryDeps } from '../../../processors/ledger-recovery.ts';
import { createMemoryLedger } from '../../../src/adapters/memory/ledger.ts';
import { createMemoryChannels } from '../../../src/adapters/memory/signals.ts';
import { MAX_RESULT_BYTES } from '../../../src/core/ledger-life.ts';
import type { FinishedTask } from '../../../src/core/ports/index.ts';
import { deferred } from '../../conformance/deferred.ts';
import { testClock } from '../../fixtures/authority/world.ts';

const DONE = 1000;
const SHA = 'a'.repeat(64);
/** The most that may be in memory, and on its way to Redis, at once. */
const MOST = 32;

const TASKS: readonly FinishedTask[] = Array.from({ length: DONE }, (_, i) => ({
  taskId: `t-${String(i).padStart(6, '0')}`,
  manifestSha256: SHA,
  result: `r-${i}`,
  exp: 4_000_000_000,
}));

describe('the recovery of a lost ledger', () => {
  const clock = testClock();
  let ledger: ReturnType<typeof createMemoryLedger>;
  let steps: string[];
  let asked: number[];
  /** What the journal waits for before it answers. */
  let gate: Promise<void>;

  beforeEach(() => {
    ledger = createMemoryLedger({ retentionMs: 1, clock, channels: createMemoryChannels() });
    steps = [];
    asked = [];
    gate = Promise.resolve();
  });

  const recovery = (given: Partial<LedgerRecoveryDeps> = {}): LedgerRecovery =>
    createLedgerRecovery({
      ledger,
      memories: [
        {
          async successes(after, limit) {
            asked.push(limit);
            await gate;
            return TASKS.filter(({ taskId }) => after === undefined || taskId > after).slice(0, limit);
          },
        },
      ],
      republishRevocations: async () => void steps.push('revocations'),
      newGeneration: () => 'next',
      clock,
      onLost: () => void steps.push('lost'),
      onRestored: (rows) => void steps.push(`restored ${rows}`),
      onError: (error) => void steps.push(`error ${String(error)}`),
      ...given,
    });
  const claim = (taskId: string) => ledger.claim({ taskId, manifestSha256: SHA, jobKey: 'file:1', instance: 'w', exp: 4_000_000_000, now: clock.now() });

  it('lets tasks be claimed before one row of the journal was read, revocations first', async () => {
    const open = deferred();
    gate = open.promise;
    await using recovering = recovery();
    await recovering.start();
    expect(await claim('new')).toEqual({ kind: 'lost' });
    await recovering.recover();
    // Exactly one portion was asked for, and it hangs.
    expect(asked).toEqual([MOST]);
    expect(await claim('new')).toEqual({ kind: 'new', epoch: 1 });
    expect(await claim(TASKS[7]?.taskId ?? '')).toEqual({ kind: 'new', epoch: 1 });
    expect(steps).toEqual(['revocations', 'lost']);
    open.resolve();
    expect(await recovering.restored()).toBe(DONE);
    expect(await claim(TASKS.at(-1)?.taskId ?? '')).toEqual({ kind: 'finished', result: `r-${DONE - 1}` });
  });

  it('writes the journal back in small portions, each once', async () => {
    await using recovering = recovery();
    await recovering.start();
    await recovering.recover();
    expect(await recovering.restored()).toBe(DONE);
    expect(Math.max(...asked)).toBe(MOST);
    expect(asked).toHaveLength(Math.ceil(DONE / MOST) + 1);
    for (const { taskId, result } of TASKS) expect((await ledger.row(taskId))?.result).toBe(result);
    expect(steps).toEqual(['revocations', 'lost', `restored ${DONE}`]);
  });

  it('begins anew when Redis loses its data again in between, and shares one recovery among all who ask', async () => {
    const open = deferred();
    gate = open.promise;
    await using recovering = recovery();
    await recovering.start();
    await recovering.recover();
    ledger.lose();
    await Promise.all([recovering.recover(), recovering.recover()]);
    open.resolve();
    expect(await recovering.restored()).toBe(DONE);
    expect(steps).toEqual(['revocations', 'lost', 'revocations', 'lost', `restored ${DONE}`]);
    expect((await ledger.row(TASKS[0]?.taskId ?? ''))?.result).toBe('r-0');
  });

  it('tries a portion again that was refused, and goes on where it was', async () => {
    let refusals = 1;
    await using recovering = recovery({
      ledger: {
        markGeneration: (generation) => ledger.markGeneration(generation),
        async restore(rows, now) {
          if (rows[0]?.taskId === TASKS[MOST]?.taskId && refusals-- > 0) throw new Error('away');
          await ledger.restore(rows, now);
        },
      },
    });
    await recovering.start();
    await recovering.recover();
    expect(await recovering.restored()).toBe(DONE);
    expect(steps).toEqual(['revocations', 'lost', 'error Error: away', `restored ${DONE}`]);
  });

  it('stops in the midst of it', async () => {
    const open = deferred();
    gate = open.promise;
    const recovering = recovery();
    await recovering.start();
    await recovering.recover();
    const stopped = recovering.stop();
    open.resolve();
    await stopped;
    expect(await recovering.restored()).toBe(0);
    expect(asked).toHaveLength(1);
    expect(await ledger.row(TASKS[0]?.taskId ?? '')).toBeUndefined();
  });

  it('leaves out what is too large for the ledger, which keeps nobody else out of it', async () => {
    const rows = [10, MAX_RESULT_BYTES + 1, MAX_RESULT_BYTES].map((bytes, at) => ({
      taskId: `r-${at}`,
      manifestSha256: SHA,
      result: 'x'.repeat(bytes),
      exp: 4_000_000_000,
    }));
    const restored = deferred();
    const memory = { successes: async (after?: string) => rows.filter(({ taskId }) => after === undefined || taskId > after).slice(0, 1) };
    const one = recovery({
      memories: [memory],
      onRestored(count) {
        steps.push(`restored ${count}`);
        restored.resolve();
      },
    });
    await one.recover();
    await restored.promise;
    expect(await Promise.all(rows.map(({ taskId }) => ledger.row(taskId)))).toMatchObject([{ state: 'success' }, undefined, { state: 'success' }]);
    expect(await claim('r-1')).toMatchObject({ kind: 'new' });
    expect(steps).toContain('restored 2');
  });
});
