import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { examineJournal } from '../../../../src/adapters/sqlite/doctor.ts';
import { createInProcessJournal } from '../../../../src/adapters/sqlite/journal/journal-in-process.ts';
import { crossIntent, failed, succeeded } from '../../../conformance/journal-fixtures.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'writ-doctor-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe('writ doctor about incidents', () => {
  const found = async (file: string) => (await examineJournal(file, { retention_s: 86_400 })).find(({ title }) => title === 'incidents');

  it('names those that are open, with the copy that was withdrawn, until a later attempt has ended otherwise', async () => {
    const file = path.join(directory, 'journal.sqlite');
    expect(await found(file)).toMatchObject({ level: 'ok', found: 'none' });
    const journal = createInProcessJournal({ file });
    await journal.start();
    expect(await found(file)).toMatchObject({ level: 'ok', found: 'none is open' });

    await journal.open(crossIntent('a'), { bytes: 1, quota: 9 }, 1);
    const details = { withdrawn: { base: 'far', path: '.writ-vault/w-1' } };
    await journal.reportIncident({ taskId: 'a', what: 'the source stayed; the copy was withdrawn', details }, 5);
    await journal.close('a', 1, { ...failed(), doubtful: true }, 6);
    expect(await found(file)).toMatchObject({
      level: 'warn',
      found: '1 open; the newest: a (1970-01-01T00:00:00.005Z): the source stayed; the copy was withdrawn [far/.writ-vault/w-1]',
      todo: expect.stringContaining('--regrant'),
    });

    await journal.open(crossIntent('a'), { bytes: 1, quota: 9 }, 7);
    expect(await found(file)).toMatchObject({ level: 'ok' });
    await journal.close('a', 2, succeeded(), 8);
    expect(await found(file)).toMatchObject({ level: 'ok', found: 'none is open' });
    await journal.stop();
  });
});
