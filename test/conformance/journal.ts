import { describe, expect, it } from 'vitest';
import type { FileIntent, FileJournal } from '../../src/core/ports/journal.ts';
import {
  type CheckJournal,
  copyIntent,
  crossIntent,
  deleteIntent,
  failed,
  identity,
  inVault,
  type JournalUnderTest,
  moveIntent,
  place,
  sealed,
  succeeded,
} from './journal-fixtures.ts';
import { vaultConformance } from './journal-vault.ts';

const GiB = 2 ** 30;

/** What every FileJournal does (docs/protocol.md 5, 8). */
export function journalConformance(name: string, make: () => Promise<JournalUnderTest>): void {
  const check: CheckJournal = (title, body) =>
    it(title, async () => {
      await using under = await make();
      await body(under.journal, under);
    });

  describe(`${name}: attempts`, () => {
    check('knows nothing of a task that was never tried', async (journal) => {
      expect(await journal.view('none')).toEqual({ attempts: 0, open: undefined, success: undefined });
      expect(await journal.counts()).toEqual({ open: 0, success: 0, failure: 0, incidents: 0 });
    });

    check('gives an intent back exactly as it was committed, also after a restart', async (journal, under) => {
      const intents = [
        moveIntent('a', { source: place('data', 'über', 'ein Name', 'x.txt') }),
        deleteIntent('b'),
        copyIntent('c'),
        crossIntent('d'),
        moveIntent('e', { undoOf: 'z', method: 'link' }),
      ];
      for (const intent of intents) expect(await journal.open(intent, { bytes: 1, quota: GiB }, 1)).toEqual({ kind: 'opened', n: 1 });
      const expected = intents.map((intent) => ({ ...intent, n: 1, stage: 'intent', sealed: undefined }));
      expect(await journal.openAttempts()).toEqual(expected);
      const again = await under.reopen();
      for (const [index, intent] of intents.entries()) {
        expect(await again.view(intent.taskId)).toEqual({ attempts: 1, open: expected[index], success: undefined });
      }
    });

    check('refuses a second open attempt, and any attempt after a success [FE-37]', async (journal) => {
      await journal.open(moveIntent('a'), undefined, 1);
      expect(await journal.open(moveIntent('a'), undefined, 2)).toEqual({ kind: 'conflict' });
      await journal.close('a', 1, succeeded(), 3);
      expect(await journal.open(moveIntent('a'), undefined, 4)).toEqual({ kind: 'conflict' });
      expect((await journal.view('a')).attempts).toBe(1);
    });

    check('lets a failed task be tried again, and counts', async (journal) => {
      await journal.open(moveIntent('a'), undefined, 1);
      await journal.close('a', 1, failed(), 2);
      expect(await journal.view('a')).toEqual({ attempts: 1, open: undefined, success: undefined });
      expect(await journal.open(moveIntent('a'), undefined, 3)).toEqual({ kind: 'opened', n: 2 });
      expect(await journal.counts()).toEqual({ open: 1, success: 0, failure: 1, incidents: 0 });
    });

    check('keeps the exact signed result and the outcome of a success [FE-38]', async (journal, under) => {
      const intent = moveIntent('a');
      const end = succeeded();
      await journal.open(intent, undefined, 1);
      await journal.close('a', 1, end, 2);
      const again = await under.reopen();
      expect((await again.view('a')).success).toEqual({
        taskId: 'a',
        manifestSha256: intent.manifestSha256,
        result: end.result,
        operation: 'move',
        source: intent.source,
        destination: intent.destination,
        outcomeIdentity: end.outcomeIdentity,
        undoOf: undefined,
        undoneBy: undefined,
      });
    });

    check('remembers a doubtful end with its lease, until the next attempt ends otherwise', async (journal) => {
      await journal.open(moveIntent('a'), undefined, 1);
      await journal.close('a', 1, { ...failed('{"n":1}'), doubtful: true }, 2);
      const { manifestSha256, authority } = moveIntent('a');
      expect((await journal.view('a')).doubtful).toEqual({ manifestSha256, jti: authority.jti, result: '{"n":1}' });
      await journal.open(moveIntent('a'), undefined, 3);
      expect((await journal.view('a')).doubtful).toBeUndefined();
      await journal.close('a', 2, failed(), 4);
      expect((await journal.view('a')).doubtful).toBeUndefined();
    });

    check('withdraws an attempt without an answer: its number is used up, its vault place is free, and a doubt before it stands', async (journal) => {
      await journal.open(deleteIntent('a'), { bytes: 5, quota: 5 }, 1);
      await journal.close('a', 1, { ...failed('{"n":1}'), doubtful: true }, 2);
      const { doubtful } = await journal.view('a');
      await journal.open(deleteIntent('a', { destination: inVault('data', 'again') }), { bytes: 5, quota: 5 }, 3);
      await journal.withdraw('a', 2, 4);
      expect(await journal.view('a')).toEqual({ attempts: 2, open: undefined, success: undefined, doubtful, trimmed: undefined });
      expect(await journal.vaultUsage()).toEqual([{ base: 'data', bytes: 0, files: 0 }]);
      expect(await journal.counts()).toEqual({ open: 0, success: 0, failure: 2, incidents: 0 });
      await expect(journal.withdraw('a', 2, 5)).rejects.toMatchObject({ code: 'WRONG_STATE' });
      await journal.open(copyIntent('b'), undefined, 6);
      await journal.seal('b', 1, sealed);
      await expect(journal.withdraw('b', 1, 7)).rejects.toMatchObject({ code: 'WRONG_STATE' });
    });

    check('goes from intent over sealed to published, and no other way', async (journal) => {
      await journal.open(crossIntent('a'), { bytes: 5, quota: GiB }, 1);
      await expect(journal.publish('a', 1)).rejects.toMatchObject({ code: 'WRONG_STATE' });
      await journal.seal('a', 1, sealed);
      expect((await journal.view('a')).open).toMatchObject({ stage: 'sealed', sealed });
      await expect(journal.seal('a', 1, sealed)).rejects.toMatchObject({ code: 'WRONG_STATE' });
      await journal.publish('a', 1);
      await journal.publish('a', 1);
      expect((await journal.view('a')).open).toMatchObject({ stage: 'published', sealed });
    });

    check('refuses steps of an attempt that is not open', async (journal) => {
      await expect(journal.close('a', 1, succeeded(), 1)).rejects.toMatchObject({ code: 'WRONG_STATE' });
      await journal.open(copyIntent('a'), undefined, 1);
      await expect(journal.close('a', 2, succeeded(), 1)).rejects.toMatchObject({ code: 'WRONG_STATE' });
      await journal.close('a', 1, succeeded('first'), 2);
      for (const step of [
        journal.seal('a', 1, sealed),
        journal.publish('a', 1),
        journal.close('a', 1, failed(), 3),
        journal.close('a', 1, succeeded('second'), 3),
      ]) {
        await expect(step).rejects.toMatchObject({ code: 'WRONG_STATE' });
      }
      expect((await journal.view('a')).success?.result).toBe('first');
    });

    check('refuses intents that contradict themselves', async (journal) => {
      const wrong = [
        moveIntent('a', { temporary: '.writ-tmp-a' }),
        copyIntent('a', { temporary: undefined }),
        copyIntent('a', { method: 'rename', temporary: undefined }),
        crossIntent('a', { retired: undefined }),
        copyIntent('a', { undoOf: 'z' }),
        moveIntent('a', { undoOf: 'a' }),
        moveIntent('a', { manifestSha256: 'short' }),
        moveIntent('a', { source: place('data') }),
        moveIntent('a', { source: place('data', 'a/b') }),
        moveIntent('a', { sourceIdentity: { ...identity(), ino: '1.5' } }),
        deleteIntent('a'),
      ];
      for (const intent of wrong) await expect(journal.open(intent, undefined, 1)).rejects.toMatchObject({ code: 'INTERNAL' });
      expect(await journal.view('a')).toMatchObject({ attempts: 0 });
    });

    check('hands an open attempt over only from the instance that is named', async (journal) => {
      const to = { instance: 'instance-2', pid: 1, startTime: '2' };
      await journal.open(moveIntent('a'), undefined, 1);
      expect(await journal.adopt('a', 1, 'instance-9', to)).toBe(false);
      expect(await journal.adopt('a', 1, 'instance-1', to)).toBe(true);
      expect((await journal.view('a')).open?.process).toEqual(to);
      expect(await journal.adopt('a', 1, 'instance-1', to)).toBe(false);
      await journal.close('a', 1, failed(), 2);
      expect(await journal.adopt('a', 1, 'instance-2', to)).toBe(false);
    });

    check('pages through the successes in the order of task ids', async (journal) => {
      for (const taskId of ['c', 'a', 'B', 'd', 'b']) {
        await journal.open(moveIntent(taskId), undefined, 1);
        await journal.close(taskId, 1, taskId === 'd' ? failed() : succeeded(`result of ${taskId}`), 2);
      }
      const first = await journal.successes(undefined, 3);
      expect(first.map(({ taskId }) => taskId)).toEqual(['B', 'a', 'b']);
      expect(first[1]).toEqual({ taskId: 'a', manifestSha256: 'ab'.repeat(32), result: 'result of a', exp: 1_800_000_000 });
      expect((await journal.successes('b', 3)).map(({ taskId }) => taskId)).toEqual(['c']);
    });

    check('sees in every read what the same caller wrote just before', async (journal) => {
      const opening = journal.open(moveIntent('a'), undefined, 1);
      const between = journal.view('a');
      const closing = journal.close('a', 1, succeeded(), 2);
      const after = journal.view('a');
      await Promise.all([opening, closing]);
      expect((await between).open?.n).toBe(1);
      expect((await after).success?.taskId).toBe('a');
    });

    check('reports incidents, newest first', async (journal) => {
      await journal.reportIncident({ taskId: 'a', what: 'outcome unknown', details: { path: ['x', null, 1.5] } }, 10);
      await journal.reportIncident({ taskId: 'b', what: 'kept', details: null }, 20);
      expect(await journal.incidents(5)).toEqual([
        { taskId: 'b', what: 'kept', details: null, at: 20 },
        { taskId: 'a', what: 'outcome unknown', details: { path: ['x', null, 1.5] }, at: 10 },
      ]);
      expect(await journal.incidents(1)).toHaveLength(1);
      expect((await journal.counts()).incidents).toBe(2);
    });
  });

  describe(`${name}: undo`, () => {
    const finish = async (journal: FileJournal, intent: FileIntent): Promise<void> => {
      await journal.open(intent, { bytes: 1, quota: GiB }, 1);
      await journal.close(intent.taskId, 1, succeeded(), 2);
    };
    const undoneBy = async (journal: FileJournal, taskId: string): Promise<string | undefined> => (await journal.view(taskId)).success?.undoneBy;

    check('marks the undone task, and unmarks it when the undo is undone', async (journal) => {
      await finish(journal, moveIntent('a'));
      await finish(journal, moveIntent('u1', { undoOf: 'a' }));
      expect(await undoneBy(journal, 'a')).toBe('u1');
      await finish(journal, moveIntent('u2', { undoOf: 'u1' }));
      expect(await undoneBy(journal, 'a')).toBeUndefined();
      expect(await undoneBy(journal, 'u1')).toBe('u2');
      await finish(journal, moveIntent('u3', { undoOf: 'a' }));
      expect(await undoneBy(journal, 'a')).toBe('u3');
    });

    check('keeps the whole chain in step when the redo is undone', async (journal) => {
      await finish(journal, moveIntent('a'));
      for (const [task, of] of [
        ['u1', 'a'],
        ['u2', 'u1'],
        ['u3', 'u2'],
      ] as const)
        await finish(journal, moveIntent(task, { undoOf: of }));
      expect(await undoneBy(journal, 'u2')).toBe('u3');
      expect(await undoneBy(journal, 'u1')).toBeUndefined();
      expect(await undoneBy(journal, 'a')).toBe('u1');
    });

    check('leaves the task standing when its undo fails', async (journal) => {
      await finish(journal, moveIntent('a'));
      await journal.open(moveIntent('u1', { undoOf: 'a' }), undefined, 3);
      expect(await undoneBy(journal, 'a')).toBeUndefined();
      await journal.close('u1', 1, failed(), 4);
      expect(await undoneBy(journal, 'a')).toBeUndefined();
    });
  });

  vaultConformance(name, check);
}
