import { beforeEach, describe, expect, it } from 'vitest';
import { deferred } from './deferred.ts';
import { claimOf, type LedgerRig, newTaskId, REACH } from './ledger-rig.ts';

/** Ends without an outcome, and answers that never touch the row. */
export function releaseConformance(rig: () => LedgerRig): void {
  describe('release', () => {
    beforeEach(() => rig().ledger.markGeneration('g-1'));

    it('gives back only the claim of its epoch, and keeps the takeovers', async () => {
      const { ledger } = rig();
      const taskId = newTaskId();
      await ledger.claim(claimOf(taskId));
      await ledger.claim(claimOf(taskId));
      const before = await ledger.row(taskId);
      await ledger.release(taskId, 1);
      expect(await ledger.row(taskId)).toEqual(before);
      await ledger.release(taskId, 2);
      expect(await ledger.row(taskId)).toEqual({ ...before, owner: '', jobKey: '' });
      expect(before?.takeovers).toBe(1);
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
