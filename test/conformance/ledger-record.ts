import { beforeEach, describe, expect, it } from 'vitest';
import { KEEP_MS, MAX_RESULT_BYTES, rowExpiry } from '../../src/core/ledger-life.ts';
import { deferred } from './deferred.ts';
import { claimOf, EXP, FAILED, type LedgerRig, NOW, newTaskId, REACH, RETENTION_MS, recordOf, SHA, STATES } from './ledger-rig.ts';

/** Outcomes: who may write one, what it leaves, who hears of it. */
export function recordConformance(rig: () => LedgerRig): void {
  describe('record', () => {
    beforeEach(() => rig().ledger.markGeneration('g-1'));

    for (const state of STATES) {
      it(`answers ${state === 'none' ? 'lost' : state === 'running' || state === 'released' ? 'recorded' : 'stale'} on ${state}, and writes nothing unless it records`, async () => {
        const { ledger } = rig();
        const taskId = newTaskId();
        await REACH[state](rig(), taskId);
        const before = await ledger.row(taskId);
        const answer = await ledger.record(recordOf(taskId, 1, { now: NOW + 50, result: 'another' }));
        expect(answer).toBe(state === 'none' ? 'lost' : state === 'running' || state === 'released' ? 'recorded' : 'stale');
        if (answer !== 'recorded') expect(await ledger.row(taskId)).toEqual(before);
      });
    }

    it('refuses the epoch of an earlier claim, and of none', { tags: ['FE-37'] }, async () => {
      const { ledger } = rig();
      const taskId = newTaskId();
      await ledger.claim(claimOf(taskId));
      await ledger.claim(claimOf(taskId, { instance: 'i-2' }));
      const before = await ledger.row(taskId);
      for (const epoch of [0, 1, 3]) expect(await ledger.record(recordOf(taskId, epoch))).toBe('stale');
      expect(await ledger.row(taskId)).toEqual(before);
      expect(await ledger.record(recordOf(taskId, 2))).toBe('recorded');
    });

    it('writes the outcome, clears claim, cancel and takeovers, and keeps the row for its life', { tags: ['FE-38'] }, async () => {
      for (const outcome of [{}, FAILED]) {
        const { ledger } = rig();
        const taskId = newTaskId();
        await ledger.claim(claimOf(taskId));
        await ledger.claim(claimOf(taskId, { instance: 'i-2', jobKey: 'file:t_1' }));
        await ledger.cancel(taskId, NOW + 1);
        const request = recordOf(taskId, 2, outcome);
        expect(await ledger.record(request)).toBe('recorded');
        expect(await ledger.row(taskId)).toEqual({
          state: request.status === 'SUCCESS' ? 'success' : 'failure',
          manifestSha256: SHA,
          epoch: 2,
          takeovers: 0,
          crashes: 0,
          owner: '',
          jobKey: 'file:t_1',
          exp: EXP,
          cancelRequested: false,
          errorCode: request.errorCode,
          result: request.result,
          updated: request.now,
        });
        expect(await rig().expiresAt(taskId)).toBe(rowExpiry(EXP, request.now, { retentionMs: RETENTION_MS }));
      }
    });

    it('keeps a cancel that was asked where the queue goes on by itself, for the next attempt', async () => {
      for (const [goesOn, later] of [
        [true, 'cancelled'],
        [false, 'new'],
      ] as const) {
        const { ledger } = rig();
        const taskId = newTaskId();
        await ledger.claim(claimOf(taskId));
        await ledger.cancel(taskId, NOW + 1);
        await ledger.record(recordOf(taskId, 1, { ...FAILED, goesOn }));
        expect((await ledger.row(taskId))?.cancelRequested).toBe(goesOn);
        expect(await ledger.claim(claimOf(taskId))).toEqual({ kind: later, epoch: 2 });
        // Its outcome is the answer to the cancel.
        await ledger.record(recordOf(taskId, 2, FAILED));
        expect((await ledger.row(taskId))?.cancelRequested).toBe(false);
      }
      const { ledger } = rig();
      const taskId = newTaskId();
      await ledger.claim(claimOf(taskId));
      await ledger.record(recordOf(taskId, 1, { ...FAILED, goesOn: true }));
      expect((await ledger.row(taskId))?.cancelRequested).toBe(false);
    });

    it('answers the same bytes for every later claim, for results of up to 1 MiB', { tags: ['FE-38'] }, async () => {
      const { ledger } = rig();
      const taskId = newTaskId();
      const result = `{"x":"${'é'.repeat((MAX_RESULT_BYTES - 8) / 2)}"}`;
      expect(Buffer.byteLength(result)).toBe(MAX_RESULT_BYTES);
      await ledger.claim(claimOf(taskId));
      await ledger.record(recordOf(taskId, 1, { result }));
      expect(await ledger.claim(claimOf(taskId))).toEqual({ kind: 'finished', result });
      await expect(ledger.refuse(taskId, 'file:t_x', `${result}x`)).rejects.toMatchObject({ code: 'INVALID_RESULT' });
    });

    it('keeps the row for 7 days after its last change when the lease is long gone', async () => {
      const taskId = newTaskId();
      const longAgo = EXP - 60 * 24 * 3600;
      await rig().ledger.claim(claimOf(taskId, { exp: longAgo }));
      await rig().ledger.record(recordOf(taskId, 1));
      expect(await rig().expiresAt(taskId)).toBe(NOW + 5 + KEEP_MS);
    });

    it('tells who waits for this task, and nobody else', async () => {
      const { ledger, signals } = rig();
      const [taskId, other] = [newTaskId(), newTaskId()];
      const heard: string[] = [];
      const told = deferred();
      const leave = [
        await signals.onRecorded(taskId, () => {
          heard.push(taskId);
          told.resolve();
        }),
        await signals.onRecorded(other, () => heard.push(other)),
      ];
      await ledger.claim(claimOf(taskId));
      await ledger.record(recordOf(taskId, 1));
      await told.promise;
      for (const unsubscribe of leave) await unsubscribe();
      expect(heard).toEqual([taskId]);
    });
  });
}
