import { beforeEach, describe, expect, it } from 'vitest';
import { deferred } from './deferred.ts';
import { claimOf, FAILED, type LedgerRig, newTaskId, REACH, recordOf } from './ledger-rig.ts';

/** Ends without an outcome, and answers that never touch the row. */
export function releaseConformance(rig: () => LedgerRig): void {
  describe('release', () => {
    beforeEach(() => rig().ledger.markGeneration('g-1'));

    it('gives back only the claim of its epoch, and keeps the takeovers', async () => {
      const { ledger } = rig();
      const taskId = newTaskId();
      await ledger.claim(claimOf(taskId));
      await ledger.claim(claimOf(taskId, { instance: 'i-2' }));
      const before = await ledger.row(taskId);
      await ledger.release(taskId, 1);
      expect(await ledger.row(taskId)).toEqual(before);
      await ledger.release(taskId, 2);
      expect(await ledger.row(taskId)).toEqual({ ...before, owner: '' });
      expect(before).toMatchObject({ takeovers: 1, jobKey: 'file:t_1' });
    });

    it('gives nothing back, and records nothing, of a claim that has the same epoch since Redis was lost', async () => {
      const { ledger, lose } = rig();
      const taskId = newTaskId();
      await ledger.claim(claimOf(taskId));
      await lose();
      await ledger.markGeneration('g-2');
      await ledger.claim(claimOf(taskId, { instance: 'i-2' }));
      const before = await ledger.row(taskId);
      expect(before?.epoch).toBe(1);
      await ledger.release(taskId, 1, 'crashed', 'i-1');
      expect(await ledger.record(recordOf(taskId, 1, { owner: 'i-1' }))).toBe('stale');
      expect(await ledger.row(taskId)).toEqual(before);
      expect(await ledger.record(recordOf(taskId, 1, { owner: 'i-2' }))).toBe('recorded');
    });

    it('counts the deliveries that crashed apart from the workers that were lost, until an outcome is recorded', async () => {
      const { ledger } = rig();
      const taskId = newTaskId();
      for (const [epoch, crashes] of [
        [1, undefined],
        [2, 1],
        [3, 2],
      ] as const) {
        expect(await ledger.claim(claimOf(taskId))).toEqual({ kind: 'new', epoch, ...(crashes === undefined ? {} : { crashes }) });
        await ledger.release(taskId, epoch, 'crashed');
      }
      await ledger.release(taskId, 3, 'crashed');
      expect(await ledger.row(taskId)).toMatchObject({ crashes: 4, takeovers: 0, owner: '' });
      await ledger.claim(claimOf(taskId));
      expect(await ledger.claim(claimOf(taskId, { instance: 'i-2' }))).toEqual({ kind: 'takeover', epoch: 5, takeovers: 1, crashes: 4 });
      await ledger.release(taskId, 4, 'crashed');
      await ledger.record(recordOf(taskId, 5, FAILED));
      expect(await ledger.row(taskId)).toMatchObject({ crashes: 0, takeovers: 0 });
    });

    it('changes no row that is not running', async () => {
      for (const state of ['none', 'waiting', 'success', 'failure'] as const) {
        const taskId = newTaskId();
        await REACH[state](rig(), taskId);
        const before = await rig().ledger.row(taskId);
        await rig().ledger.release(taskId, before?.epoch ?? 1);
        expect(await rig().ledger.row(taskId)).toEqual(before);
      }
    });
  });

  describe('refuse', () => {
    it('keeps the answer of one job of one task, tells who waits, and touches no row', async () => {
      const { ledger, signals } = rig();
      const taskId = newTaskId();
      const told = deferred();
      const leave = await signals.onRecorded(taskId, () => told.resolve());
      await ledger.refuse(taskId, 'file:raw:7', 'no');
      await told.promise;
      await leave();
      expect(await ledger.refusal(taskId, 'file:raw:7')).toBe('no');
      expect(await ledger.refusal(taskId, 'file:raw')).toBeUndefined();
      expect(await ledger.refusal(newTaskId(), 'file:raw:7')).toBeUndefined();
      expect(await ledger.row(taskId)).toBeUndefined();
    });
  });
}
