import { beforeEach, describe, expect, it } from 'vitest';
import { claimOf, FAILED, type LedgerRig, NOW, newTaskId, REACH, recordOf, STATES } from './ledger-rig.ts';

async function jobsOf({ ledger }: LedgerRig, id: string): Promise<string[]> {
  const jobs: string[] = [];
  for await (const some of ledger.parked(id)) jobs.push(...some);
  return jobs.sort();
}

/** Duplicates of a task that wait for its end, and claims that may only look. */
export function parkedConformance(rig: () => LedgerRig): void {
  beforeEach(() => rig().ledger.markGeneration('g-1'));

  describe('a parked job', () => {
    it('is noted, counted and found, once however often it is parked', async () => {
      const { ledger } = rig();
      const taskId = newTaskId();
      expect(await jobsOf(rig(), taskId)).toEqual([]);
      expect(await ledger.park(taskId, 'file:7', 1, NOW)).toBe(1);
      expect(await ledger.park(taskId, '{writ-2}:file:7', 1, NOW)).toBe(2);
      expect(await ledger.park(taskId, 'file:7', 2, NOW)).toBe(2);
      expect(await jobsOf(rig(), taskId)).toEqual(['file:7', '{writ-2}:file:7']);
    });

    it('has waited when the same job comes back, and not when it was added or retried anew', async () => {
      const { ledger } = rig();
      const taskId = newTaskId();
      expect(await ledger.unpark(taskId, 'file:7', 2)).toBe(false);
      for (const [parked, back, waited] of [
        [1, 2, true],
        [3, 5, true],
        [1, 1, false],
        [4, 1, false],
      ] as const) {
        await ledger.park(taskId, 'file:7', parked, NOW);
        expect(await ledger.unpark(taskId, 'file:7', back)).toBe(waited);
        expect(await jobsOf(rig(), taskId)).toEqual([]);
      }
    });

    it('is told of by the record of its task, and found in pages however many there are', async () => {
      const { ledger } = rig();
      for (const outcome of [{}, FAILED]) {
        const taskId = newTaskId();
        await ledger.claim(claimOf(taskId));
        const keys = Array.from({ length: 1200 }, (_, n) => `file:${n}`).sort();
        await Promise.all(keys.map((key) => ledger.park(taskId, key, 1, NOW)));
        expect(await ledger.record(recordOf(taskId, 1, outcome))).toBe('awaited');
        expect([...new Set(await jobsOf(rig(), taskId))]).toEqual(keys);
      }
    });

    it('is answered with the FAILURE that it waited for, unless that speaks of the lease of another job', async () => {
      const { ledger } = rig();
      for (const errorCode of ['EXECUTION_FAILED', 'RESOURCE_EXHAUSTED', 'UNSUPPORTED_CAPABILITY', 'LEASE_EXPIRED', 'INVALID_LEASE']) {
        const taskId = newTaskId();
        await ledger.claim(claimOf(taskId));
        await ledger.record(recordOf(taskId, 1, { ...FAILED, errorCode }));
        const own = errorCode === 'LEASE_EXPIRED' || errorCode === 'INVALID_LEASE';
        expect(await ledger.claim(claimOf(taskId, { jobKey: 'file:7', waited: true })), errorCode).toEqual(
          own ? { kind: 'new', epoch: 2 } : { kind: 'failed', result: FAILED.result },
        );
        if (!own) expect(await ledger.claim(claimOf(taskId, { jobKey: 'file:8' })), errorCode).toEqual({ kind: 'new', epoch: 2 });
      }
    });
  });

  describe('a claim of a step', () => {
    it('is answered with any FAILURE, whoever asks, but that its lease ran out', async () => {
      const { ledger } = rig();
      for (const errorCode of ['EXECUTION_FAILED', 'INVALID_LEASE', 'TOOL_OUTCOME_UNKNOWN', 'LEASE_EXPIRED']) {
        const taskId = newTaskId();
        await ledger.claim(claimOf(taskId, { isStep: true }));
        await ledger.record(recordOf(taskId, 1, { ...FAILED, errorCode, wish: 'first' }));
        const answer = errorCode === 'LEASE_EXPIRED' ? { kind: 'busy', owner: 'i-1' } : { kind: 'failed', result: FAILED.result };
        for (const waited of [false, true]) {
          for (const jobKey of ['file:t_1', 'file:7'])
            expect(await ledger.claim(claimOf(taskId, { jobKey, isStep: true, waited, look: true, wish: 'second' })), errorCode).toEqual(answer);
        }
      }
    });

    it('is told the same by claims in one turn as each alone', async () => {
      const { ledger } = rig();
      const codes = ['INVALID_LEASE', 'LEASE_EXPIRED'] as const;
      const ids = await Promise.all(
        codes.map(async (errorCode) => {
          const taskId = newTaskId();
          await ledger.claim(claimOf(taskId));
          await ledger.record(recordOf(taskId, 1, { ...FAILED, errorCode }));
          return taskId;
        }),
      );
      const asks = ids.flatMap((taskId) => [claimOf(taskId, { jobKey: 'file:7', waited: true, look: true }), claimOf(taskId, { isStep: true, look: true })]);
      const failed = { kind: 'failed', result: FAILED.result };
      const busy = { kind: 'busy', owner: 'i-1' };
      expect(await Promise.all(asks.map((ask) => ledger.claim(ask)))).toEqual([busy, failed, busy, busy]);
    });
  });

  describe('a claim of the ask for which a FAILURE was recorded', () => {
    it('is answered with that, unless it speaks of its own lease, and any other ask is granted', async () => {
      const { ledger } = rig();
      for (const errorCode of ['EXECUTION_FAILED', 'LEASE_EXPIRED']) {
        const taskId = newTaskId();
        await ledger.claim(claimOf(taskId));
        await ledger.record(recordOf(taskId, 1, { ...FAILED, errorCode, wish: 'first' }));
        const answer = errorCode === 'LEASE_EXPIRED' ? { kind: 'busy', owner: 'i-1' } : { kind: 'failed', result: FAILED.result };
        expect(await ledger.claim(claimOf(taskId, { wish: 'first', look: true })), errorCode).toEqual(answer);
        expect(await ledger.claim(claimOf(taskId, { wish: 'second' })), errorCode).toEqual({ kind: 'new', epoch: 2 });
      }
    });

    it('is answered while another ask of the task runs, whoever holds that claim and whether he lives, and leaves it alone', async () => {
      const { ledger } = rig();
      const taskId = newTaskId();
      await ledger.claim(claimOf(taskId));
      await ledger.record(recordOf(taskId, 1, { ...FAILED, wish: 'first' }));
      await ledger.claim(claimOf(taskId, { wish: 'second' }));
      const told = { kind: 'failed', result: FAILED.result };
      const others = [{}, { jobKey: 'file:7' }, { instance: 'i-2' }, { jobKey: 'file:7', instance: 'i-2', deadInstance: 'i-1' }, { look: true }];
      for (const other of others) expect(await ledger.claim(claimOf(taskId, { ...other, wish: 'first' }))).toEqual(told);
      expect(await ledger.claim(claimOf(taskId, { instance: 'i-2', wish: 'second' }))).toMatchObject({ kind: 'takeover', epoch: 3, takeovers: 1 });
      await ledger.record(recordOf(taskId, 3, { ...FAILED, owner: 'i-2', result: '{"n":2}', wish: 'second' }));
      expect(await ledger.claim(claimOf(taskId, { wish: 'first' }))).toEqual({ kind: 'failed', result: '{"n":2}' });
      expect(await ledger.claim(claimOf(taskId, { wish: '' }))).toMatchObject({ kind: 'new', epoch: 4 });
    });

    it('is granted while the task runs, where what was recorded speaks of its own lease', async () => {
      const { ledger } = rig();
      const taskId = newTaskId();
      await ledger.claim(claimOf(taskId));
      await ledger.record(recordOf(taskId, 1, { ...FAILED, errorCode: 'LEASE_EXPIRED', wish: 'first' }));
      await ledger.claim(claimOf(taskId, { wish: 'second' }));
      expect(await ledger.claim(claimOf(taskId, { wish: 'first' }))).toMatchObject({ kind: 'takeover', epoch: 3 });
    });

    it('is answered where the claim of another ask was given back, which is granted still', async () => {
      const { ledger } = rig();
      for (const errorCode of ['EXECUTION_FAILED', 'LEASE_EXPIRED']) {
        const taskId = newTaskId();
        await ledger.claim(claimOf(taskId));
        await ledger.record(recordOf(taskId, 1, { ...FAILED, errorCode, wish: 'first' }));
        await ledger.claim(claimOf(taskId, { jobKey: 'file:8', wish: 'second' }));
        await ledger.release(taskId, 2, 'crashed', 'i-1');
        const own = errorCode === 'LEASE_EXPIRED';
        const answer = own ? { kind: 'busy', owner: 'i-1' } : { kind: 'failed', result: FAILED.result };
        expect(await ledger.claim(claimOf(taskId, { wish: 'first', look: own })), errorCode).toEqual(answer);
        expect(await ledger.claim(claimOf(taskId, { jobKey: 'file:8', wish: 'second' })), errorCode).toEqual({ kind: 'new', epoch: 3, crashes: 1 });
      }
    });

    it('is known for the youngest eight, and goes with the row', async () => {
      const { ledger } = rig();
      const taskId = newTaskId();
      for (let n = 1; n <= 9; n += 1) {
        await ledger.claim(claimOf(taskId, { wish: `wish-${n}` }));
        await ledger.record(recordOf(taskId, n, { ...FAILED, wish: `wish-${n}` }));
      }
      for (let n = 2; n <= 9; n += 1) expect(await ledger.claim(claimOf(taskId, { wish: `wish-${n}` }))).toMatchObject({ kind: 'failed' });
      expect(await ledger.claim(claimOf(taskId, { wish: 'wish-1' }))).toMatchObject({ kind: 'new', epoch: 10 });
      await ledger.record(recordOf(taskId, 10, FAILED));
      await ledger.discard(taskId, FAILED.result);
      await ledger.claim(claimOf(taskId));
      await ledger.record(recordOf(taskId, 1, FAILED));
      expect(await ledger.claim(claimOf(taskId, { wish: 'wish-9' }))).toMatchObject({ kind: 'new', epoch: 2 });
    });
  });

  describe('a claim that may only look', () => {
    it.each(STATES)('is granted nothing on %s, and leaves the row as it is', async (state) => {
      const { ledger } = rig();
      const taskId = newTaskId();
      await REACH[state](rig(), taskId);
      const before = await ledger.row(taskId);
      const look = claimOf(taskId, { jobKey: 'file:7', instance: 'i-7', look: true });
      const answers: Record<string, unknown> = { success: { kind: 'finished', result: before?.result }, running: { kind: 'busy', owner: 'i-1' } };
      expect(await ledger.claim(look)).toEqual(answers[state] ?? { kind: 'busy', owner: 'i-7' });
      expect(await ledger.row(taskId)).toEqual(before);
    });
  });
}
