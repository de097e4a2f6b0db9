import { statSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { Sqlite } from '../../../../../src/adapters/sqlite/driver.ts';
import { createToolJournal } from '../../../../../src/adapters/sqlite/tool-journal/tool-journal.ts';
import type { ToolIntent } from '../../../../../src/core/ports/index.ts';
import { toolJournal } from '../../../../support/tools.ts';

const journals: Awaited<ReturnType<typeof toolJournal>>[] = [];
afterEach(async () => {
  for (const journal of journals.splice(0)) await journal.remove();
});
async function fresh(): Promise<Awaited<ReturnType<typeof toolJournal>>> {
  const journal = await toolJournal();
  journals.push(journal);
  return journal;
}

const intent = (taskId: string, jti = 'lease-1'): ToolIntent => ({
  taskId,
  manifestSha256: 'a'.repeat(64),
  authority: { jti, exp: 9, kid: 'k' },
  tool: 't',
  operation: 'op',
});

describe('the tool journal', () => {
  it('opens one attempt at a time, and none after a success', async () => {
    const journal = await fresh();
    const both = await Promise.all([journal.open(intent('a'), 1), journal.open(intent('a'), 1)]);
    expect(both).toEqual([{ kind: 'opened', n: 1 }, { kind: 'conflict' }]);
    await journal.close('a', 1, { state: 'success', sent: true, result: '{}' }, 2);
    expect(await journal.open(intent('a', 'lease-2'), 3)).toEqual({ kind: 'conflict' });
    expect(await journal.view('a')).toEqual({ open: undefined, success: { manifestSha256: 'a'.repeat(64), result: '{}' }, sent: undefined });
  });

  it('opens no second attempt under a lease whose request was sent', async () => {
    const journal = await fresh();
    await journal.open(intent('a'), 1);
    await journal.close('a', 1, { state: 'failure', sent: true, result: 'one' }, 2);
    expect(await journal.open(intent('a'), 3)).toEqual({ kind: 'spent' });
    expect(await journal.open(intent('a', 'lease-2'), 3)).toEqual({ kind: 'opened', n: 2 });
    await journal.close('a', 2, { state: 'failure', sent: false, result: 'two' }, 4);
    expect((await journal.view('a')).sent).toEqual({ manifestSha256: 'a'.repeat(64), jti: 'lease-1', result: 'one' });
    expect(await journal.open(intent('a'), 5)).toEqual({ kind: 'spent' });
  });

  it('counts a withdrawn attempt for nothing', async () => {
    const journal = await fresh();
    await journal.open(intent('a'), 1);
    await journal.withdraw('a', 1, 2);
    await journal.withdraw('a', 1, 3);
    expect(await journal.view('a')).toEqual({ open: undefined, success: undefined, sent: undefined });
    expect(await journal.open(intent('a'), 4)).toEqual({ kind: 'opened', n: 2 });
    expect(await journal.counts()).toEqual({ open: 1, success: 0, failure: 0 });
  });

  it('keeps what it has promised when it is opened again, and by another connection', async () => {
    const journal = await fresh();
    await Promise.all([...'bca'].map((id) => journal.open(intent(id), 1)));
    const other = createToolJournal({ directory: journal.directory });
    await other.start();
    await Promise.all([...'bca'].map((id) => other.close(id, 1, { state: 'success', sent: true, result: id }, 2)));
    await other.stop();
    const page = await journal.successes(undefined, 2);
    expect(page.map(({ taskId, result, exp }) => [taskId, result, exp])).toEqual([
      ['a', 'a', 9],
      ['b', 'b', 9],
    ]);
    expect((await journal.successes('b', 2)).map(({ taskId }) => taskId)).toEqual(['c']);
    expect(statSync(journal.directory).mode & 0o077).toBe(0);
  });

  it('does not let a refused request harm its neighbours', async () => {
    const journal = await fresh();
    await journal.open(intent('a'), 1);
    const [good, bad] = await Promise.allSettled([journal.open(intent('b'), 1), journal.close('a', 7, { state: 'failure', sent: true, result: '' }, 1)]);
    expect(good).toMatchObject({ status: 'fulfilled', value: { kind: 'opened' } });
    expect(bad).toMatchObject({ status: 'rejected', reason: { code: 'WRONG_STATE' } });
    expect((await journal.view('b')).open).toBeDefined();
  });

  it('is final, whatever program writes to it', async () => {
    const journal = await fresh();
    await journal.open(intent('a'), 1);
    await journal.close('a', 1, { state: 'success', sent: true, result: '{}' }, 2);
    const db = new Sqlite(`${journal.directory}/tool.db`);
    expect(() => db.exec("UPDATE attempt SET state = 'open', result = NULL, closed_at = NULL")).toThrow('a closed attempt does not change');
    expect(() => db.exec('DELETE FROM attempt')).toThrow('attempts are not deleted');
    db.close();
  });

  it('that does not run, or cannot be opened, says STORAGE_UNAVAILABLE', async () => {
    const journal = await fresh();
    await journal.stop();
    await expect(journal.view('a')).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    const db = new Sqlite(`${journal.directory}/tool.db`);
    db.pragma('user_version = 99');
    db.close();
    await expect(createToolJournal({ directory: journal.directory }).start()).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
  });
});
