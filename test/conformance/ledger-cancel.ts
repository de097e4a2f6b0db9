import { beforeEach, describe, expect, it } from 'vitest';
import { KEEP_MS } from '../../src/core/ledger-life.ts';
import { deferred } from './deferred.ts';
import { type LedgerRig, NOW, newTaskId, REACH, STATES } from './ledger-rig.ts';

/** Cancels: asked, told, forgotten. */
export function cancelConformance(rig: () => LedgerRig): void {
  describe('cancel', () => {
    beforeEach(() => rig().ledger.markGeneration('g-1'));

    for (const state of STATES) {
      it(`answers ${state === 'success' ? 'done' : 'requested'} on ${state}`, async () => {
        const { ledger } = rig();
        const taskId = newTaskId();
        await REACH[state](rig(), taskId);
        const before = await ledger.row(taskId);
        expect(await ledger.cancel(taskId, NOW + 7)).toBe(state === 'success' ? 'done' : 'requested');
        const after = await ledger.row(taskId);
        if (state === 'success') expect(after).toEqual(before);
        else if (before) expect(after).toEqual({ ...before, cancelRequested: true, updated: NOW + 7 });
        else expect(after).toMatchObject({ state: 'waiting', cancelRequested: true, epoch: 0, manifestSha256: '', exp: 0, updated: NOW + 7 });
        if (!before) expect(await rig().expiresAt(taskId)).toBe(NOW + 7 + KEEP_MS);
      });
    }

    it('tells the workers only when the task is running', async () => {
      const { ledger, signals } = rig();
      const heard: string[] = [];
      const running = newTaskId();
      const told = deferred();
      const leave = await signals.onCancel((taskId) => {
        heard.push(taskId);
        if (taskId === running) told.resolve();
      });
      for (const state of ['none', 'waiting', 'success', 'failure'] as const) {
        const taskId = newTaskId();
        await REACH[state](rig(), taskId);
        await ledger.cancel(taskId, NOW);
      }
      await REACH.running(rig(), running);
      await ledger.cancel(running, NOW);
      await told.promise;
      await leave();
      expect(heard).toEqual([running]);
    });

    it('is forgotten by a retry or re-push, unless a worker has the claim', async () => {
      for (const state of STATES) {
        const { ledger } = rig();
        const taskId = newTaskId();
        await REACH[state](rig(), taskId);
        await ledger.cancel(taskId, NOW + 7);
        const before = await ledger.row(taskId);
        await ledger.clearCancel(taskId, NOW + 9);
        const after = await ledger.row(taskId);
        if (state === 'none' || state === 'waiting') expect(after, state).toBeUndefined();
        else if (state === 'running' || state === 'success') expect(after, state).toEqual(before);
        else expect(after, state).toEqual({ ...before, cancelRequested: false, updated: NOW + 9 });
      }
    });
  });
}
