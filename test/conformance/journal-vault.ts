import { describe, expect } from 'vitest';
import type { FileJournal } from '../../src/core/ports/journal.ts';
import { type CheckJournal, crossIntent, deleteIntent, failed, inVault, moveIntent, place, succeeded } from './journal-fixtures.ts';

/** What every FileJournal does with places in vaults (docs/protocol.md 8). */
export function vaultConformance(name: string, check: CheckJournal): void {
  describe(`${name}: vault`, () => {
    const used = async (journal: FileJournal, base: string) => (await journal.vaultUsage()).find((usage) => usage.base === base);

    check('reserves with the intent, frees with a failure, keeps with a success', async (journal) => {
      await journal.open(deleteIntent('a'), { bytes: 40, quota: 100 }, 1);
      expect(await used(journal, 'data')).toEqual({ base: 'data', bytes: 40, files: 1 });
      expect(await journal.vaultEntries({}, undefined, 10)).toEqual([]);
      await journal.close('a', 1, failed(), 2);
      expect(await used(journal, 'data')).toEqual({ base: 'data', bytes: 0, files: 0 });
      await journal.open(deleteIntent('a'), { bytes: 41, quota: 100 }, 3);
      await journal.close('a', 2, succeeded(), 4);
      expect(await used(journal, 'data')).toEqual({ base: 'data', bytes: 41, files: 1 });
      expect(await journal.vaultEntries({}, undefined, 10)).toEqual([
        { base: 'data', name: 'a', taskId: 'a', original: place('data', 'in', 'a.txt'), bytes: 41, since: 4 },
      ]);
    });

    check('answers quota when a file does not fit any more, and writes nothing', async (journal) => {
      await journal.open(deleteIntent('a'), { bytes: 60, quota: 100 }, 1);
      expect(await journal.open(deleteIntent('b'), { bytes: 41, quota: 100 }, 1)).toEqual({ kind: 'quota' });
      expect(await journal.view('b')).toMatchObject({ attempts: 0 });
      expect(await journal.open(deleteIntent('c'), { bytes: 40, quota: 100 }, 1)).toEqual({ kind: 'opened', n: 1 });
      const elsewhere = deleteIntent('d', { source: place('other', 'x'), destination: inVault('other', 'd') });
      expect(await journal.open(elsewhere, { bytes: 100, quota: 100 }, 1)).toEqual({ kind: 'opened', n: 1 });
    });

    check('counts concurrent reservations one after the other', async (journal) => {
      const answers = await Promise.all(Array.from({ length: 30 }, (_, i) => journal.open(deleteIntent(`t${i}`), { bytes: 10, quota: 100 }, 1)));
      expect(answers.filter(({ kind }) => kind === 'opened')).toHaveLength(10);
      expect(await used(journal, 'data')).toEqual({ base: 'data', bytes: 100, files: 10 });
    });

    check('counts the retired source of a move across file systems', async (journal) => {
      await journal.open(crossIntent('a'), { bytes: 70, quota: 100 }, 1);
      expect(await used(journal, 'data')).toEqual({ base: 'data', bytes: 70, files: 1 });
      expect(await journal.open(crossIntent('b'), { bytes: 70, quota: 100 }, 1)).toEqual({ kind: 'quota' });
    });

    check('forgets the entry when an undo has moved the file out of the vault', async (journal) => {
      await journal.open(deleteIntent('a'), { bytes: 40, quota: 100 }, 1);
      await journal.close('a', 1, succeeded(), 2);
      const undo = moveIntent('u', { source: inVault('data', 'a'), destination: place('data', 'in', 'a.txt'), undoOf: 'a' });
      await journal.open(undo, undefined, 3);
      await journal.close('u', 1, failed(), 4);
      expect(await used(journal, 'data')).toMatchObject({ bytes: 40 });
      await journal.open(undo, undefined, 5);
      await journal.close('u', 2, succeeded(), 6);
      expect(await used(journal, 'data')).toEqual({ base: 'data', bytes: 0, files: 0 });
      expect(await journal.vaultEntries({}, undefined, 10)).toEqual([]);
      // The undo of the undo brings it back to the same place.
      await journal.open(deleteIntent('r', { destination: inVault('data', 'a'), undoOf: 'u' }), { bytes: 40, quota: 100 }, 7);
      await journal.close('r', 1, succeeded(), 8);
      expect(await journal.vaultEntries({}, undefined, 10)).toMatchObject([{ name: 'a', taskId: 'r' }]);
    });

    check('lists by base and age, in pages, and forgets on demand', async (journal) => {
      for (const [index, taskId] of ['a', 'b', 'c', 'd'].entries()) {
        const base = taskId === 'b' ? 'other' : 'data';
        await journal.open(deleteIntent(taskId, { source: place(base, taskId), destination: inVault(base, taskId) }), { bytes: 1, quota: 100 }, 1);
        await journal.close(taskId, 1, succeeded(), 100 + index);
      }
      const names = async (...args: Parameters<FileJournal['vaultEntries']>): Promise<string[]> =>
        (await journal.vaultEntries(...args)).map(({ name: n }) => n);
      expect(await names({}, undefined, 3)).toEqual(['a', 'b', 'c']);
      expect(await names({}, { taskId: 'c', name: 'c' }, 3)).toEqual(['d']);
      expect(await names({ base: 'data' }, undefined, 9)).toEqual(['a', 'c', 'd']);
      expect(await names({ base: 'data', before: 103 }, undefined, 9)).toEqual(['a', 'c']);
      await journal.vaultForget('data', 'a');
      await journal.vaultForget('data', 'never-there');
      expect(await names({ base: 'data' }, undefined, 9)).toEqual(['c', 'd']);
      expect(await used(journal, 'data')).toEqual({ base: 'data', bytes: 2, files: 2 });
    });

    check('books a copy that a failed move has withdrawn, beside what a later attempt of the task puts aside', async (journal) => {
      const copy = { place: inVault('out', 'w-a'), bytes: 70 };
      await journal.open(crossIntent('a', { destination: place('out', 'a.txt') }), { bytes: 70, quota: 100 }, 1);
      await journal.close('a', 1, { ...failed(), withdrawn: copy }, 2);
      expect([await used(journal, 'data'), await used(journal, 'out')]).toMatchObject([{ bytes: 0 }, { bytes: 70, files: 1 }]);
      const withdrawn = { base: 'out', name: 'w-a', taskId: 'a', original: place('out', 'a.txt'), bytes: 70, since: 2 };
      expect(await journal.vaultEntries({}, undefined, 10)).toEqual([withdrawn]);
      await journal.open(crossIntent('a', { destination: place('out', 'a.txt') }), { bytes: 70, quota: 100 }, 3);
      await journal.close('a', 2, succeeded(), 4);
      const [first] = await journal.vaultEntries({}, undefined, 1);
      expect(first).toMatchObject({ taskId: 'a' });
      const [second] = await journal.vaultEntries({}, first, 1);
      expect([first?.name, second?.name].filter((name) => name === 'w-a')).toEqual(['w-a']);
      expect(await journal.vaultEntries({}, second, 1)).toEqual([]);
      await journal.vaultForget('out', 'w-a');
      expect(await used(journal, 'out')).toMatchObject({ bytes: 0, files: 0 });
    });

    check('does not forget a place that an open attempt has reserved', async (journal) => {
      await journal.open(deleteIntent('a'), { bytes: 40, quota: 100 }, 1);
      await journal.vaultForget('data', 'a');
      expect(await used(journal, 'data')).toMatchObject({ bytes: 40 });
    });
  });
}
