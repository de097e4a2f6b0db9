import { beforeEach, describe, expect, it } from 'vitest';
import { rowExpiry } from '../../src/core/ledger-life.ts';
import { claimOf, EXP, type LedgerRig, NOW, newTaskId, OTHER_SHA, REACH, RETENTION_MS, recordOf, SHA, STATES } from './ledger-rig.ts';

/** A Redis that lost data, and one that lies. */
export function lossConformance(rig: () => LedgerRig): void {
  describe('loss and restore', () => {
    beforeEach(() => rig().ledger.markGeneration('g-1'));

    it('answers lost, and writes nothing, while the marker is missing', async () => {
      const { ledger } = rig();
      const taskId = newTaskId();
      await ledger.claim(claimOf(taskId));
      await rig().lose();
      expect(await ledger.claim(claimOf(taskId))).toEqual({ kind: 'lost' });
      expect(await ledger.record(recordOf(taskId, 1))).toBe('lost');
      await ledger.restore([{ taskId, manifestSha256: SHA, result: 'r', exp: EXP }], NOW);
      expect(await ledger.claim(claimOf(taskId))).toEqual({ kind: 'lost' });
      await ledger.markGeneration('g-2');
      expect(await ledger.claim(claimOf(taskId))).toEqual({ kind: 'finished', result: 'r' });
    });

    it('restores over everything but a SUCCESS, and keeps the epoch so that an old claim stays stale', { tags: ['FE-39'] }, async () => {
      for (const state of STATES) {
        const { ledger } = rig();
        const taskId = newTaskId();
        await REACH[state](rig(), taskId);
        await ledger.cancel(taskId, NOW + 1);
        const before = await ledger.row(taskId);
        await ledger.restore([{ taskId, manifestSha256: OTHER_SHA, result: 'from the journal', exp: EXP - 5 }], NOW + 9);
        const after = await ledger.row(taskId);
        if (state === 'success') {
          expect(after).toEqual(before);
          continue;
        }
        const exp = Math.max(before?.exp ?? 0, EXP - 5);
        expect(after, state).toEqual({
          state: 'success',
          manifestSha256: OTHER_SHA,
          epoch: before?.epoch ?? 0,
          takeovers: 0,
          crashes: 0,
          owner: '',
          jobKey: before?.jobKey ?? '',
          exp,
          cancelRequested: false,
          errorCode: undefined,
          result: 'from the journal',
          updated: NOW + 9,
        });
        expect(await rig().expiresAt(taskId)).toBe(rowExpiry(exp, NOW + 9, { retentionMs: RETENTION_MS }));
        expect(await ledger.record(recordOf(taskId, before?.epoch ?? 0))).toBe('stale');
      }
    });

    it('forgets an outcome whose exact result did not verify, and nothing else', async () => {
      for (const state of STATES) {
        const { ledger } = rig();
        const taskId = newTaskId();
        await REACH[state](rig(), taskId);
        const before = await ledger.row(taskId);
        await ledger.discard(taskId, 'another text');
        expect(await ledger.row(taskId)).toEqual(before);
        await ledger.discard(taskId, before?.result ?? '');
        expect(await ledger.row(taskId)).toEqual(state === 'success' || state === 'failure' ? undefined : before);
      }
    });
  });
}
