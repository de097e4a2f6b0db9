import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFileJournal, type SqliteFileJournal } from '../../../src/adapters/sqlite/journal/journal.ts';
import { copyIntent, crossIntent, deleteIntent, moveIntent, succeeded } from '../../conformance/journal-fixtures.ts';
import { temporaryDirectory } from './fixture.ts';

let directory: ReturnType<typeof temporaryDirectory>;
let file: string;
let journal: SqliteFileJournal;
beforeEach(() => {
  directory = temporaryDirectory();
  file = path.join(directory.path, 'journal.db');
  journal = createFileJournal({ file });
});
afterEach(async () => {
  await journal.stop();
  directory.remove();
});

describe('the life of a journal', () => {
  it('tolerates stop before start, and either twice', async () => {
    await journal.stop();
    await Promise.all([journal.start(), journal.start()]);
    await journal.start();
    await Promise.all([journal.stop(), journal.stop()]);
    await journal.stop();
    await journal.start();
    expect(await journal.counts()).toMatchObject({ open: 0 });
  });

  it('refuses requests outside start and stop', async () => {
    await expect(journal.view('a')).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    expect(() => journal.dataId()).toThrow(/not running/);
    await journal.start();
    await journal.stop();
    await expect(journal.open(moveIntent('a'), undefined, 1)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
  });

  it('finishes what it has accepted when it is stopped', async () => {
    await journal.start();
    const opened = Promise.all(Array.from({ length: 600 }, (_, i) => journal.open(moveIntent(`t${i}`), undefined, 1)));
    const stopped = journal.stop();
    await expect(journal.view('t0')).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    expect((await opened).every(({ kind }) => kind === 'opened')).toBe(true);
    await stopped;
    await journal.start();
    expect(await journal.counts()).toMatchObject({ open: 600 });
  });

  it('carries every kind of intent and answer to its thread and back unchanged', async () => {
    await journal.start();
    const intents = [moveIntent('a', { undoOf: 'z' }), copyIntent('b'), crossIntent('c'), deleteIntent('d')];
    for (const intent of intents) await journal.open(intent, { bytes: 5, quota: 100 }, 1);
    expect(await journal.openAttempts()).toEqual(intents.map((intent) => ({ ...intent, n: 1, stage: 'intent', sealed: undefined })));
    await journal.close('d', 1, succeeded(), 2);
    await journal.reportIncident({ taskId: 'a', what: 'x', details: { deep: [null, 1.5, 'é'] } }, 3);
    expect((await journal.view('d')).success).toMatchObject({ taskId: 'd', result: succeeded().result, outcomeIdentity: succeeded().outcomeIdentity });
    expect(await journal.incidents(1)).toEqual([{ taskId: 'a', what: 'x', details: { deep: [null, 1.5, 'é'] }, at: 3 }]);
    expect(await journal.vaultUsage()).toEqual([{ base: 'data', bytes: 10, files: 2 }]);
    await expect(journal.publish('a', 1)).rejects.toMatchObject({ name: 'WritError', code: 'WRONG_STATE' });
  });

  it('keeps the random name that a new file got, and another file has another', async () => {
    await journal.start();
    const id = journal.dataId();
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    await journal.stop();
    await journal.start();
    expect(journal.dataId()).toBe(id);
    const other = createFileJournal({ file: path.join(directory.path, 'other.db') });
    await other.start();
    expect(other.dataId()).not.toBe(id);
    await other.stop();
  });

  it.each([
    ['a file that is no database', 'plain text, long enough to be read as a header of something else'],
    ['a directory that does not exist', undefined],
  ])('does not start on %s', async (_, content) => {
    const bad = content === undefined ? path.join(directory.path, 'missing', 'journal.db') : path.join(directory.path, 'bad.db');
    if (content !== undefined) writeFileSync(bad, content.repeat(50));
    const unusable = createFileJournal({ file: bad });
    await expect(unusable.start()).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    await expect(unusable.counts()).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    await unusable.stop();
  });

  it('answers many requests of one turn from few transactions, each for itself', async () => {
    await journal.start();
    const answers = await Promise.allSettled([
      ...Array.from({ length: 50 }, (_, i) => journal.open(moveIntent(`t${i}`), undefined, 1)),
      journal.close('t0', 1, succeeded(), 2),
      journal.close('t0', 1, succeeded(), 2),
      journal.open(moveIntent('t1'), undefined, 1),
      journal.open(moveIntent('bad', { temporary: 'not-for-a-rename' }), undefined, 1),
      journal.open(moveIntent('t50'), undefined, 1),
    ]);
    expect(answers.map(({ status }) => status).filter((status) => status === 'rejected')).toHaveLength(2);
    expect(answers.at(-3)).toEqual({ status: 'fulfilled', value: { kind: 'conflict' } });
    expect(await journal.counts()).toEqual({ open: 50, success: 1, failure: 0, incidents: 0 });
  });
});
