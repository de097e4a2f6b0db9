import { copyFileSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigSchema } from '../../../config/schema.ts';
import { holdPlaces } from '../../../processors/held-places.ts';
import { examineMessages } from '../../../src/messages/serving/doctor.ts';
import { createMessageSearch } from '../../../src/messages/serving/message-search.ts';
import { createMessageStore } from '../../../src/messages/store/store.ts';
import { rowsIn } from '../../support/messages/rows.ts';
import { message } from '../../support/messages/samples.ts';

let directory: string;
let file: string;
let lost: number;
let store: ReturnType<typeof createMessageStore>;
beforeEach(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'writ-taken-away-'));
  file = path.join(directory, 'messages.sqlite');
  lost = 0;
  store = createMessageStore({ file, batchOps: 100, onLost });
  await store.start();
  await write('before');
});
afterEach(async () => {
  await store.stop();
  rmSync(directory, { recursive: true });
});

const onLost = (): void => {
  lost += 1;
};
const write = (key: string) => store.write({ at: 1, ops: [message({ key, subject: key, body_md: 'falcons' })] });
const doctor = async () => (await examineMessages(ConfigSchema.parse({}).messages, { messages: file, messagesTantivy: path.join(directory, 'tantivy') }))[0];

const WAYS: Readonly<Record<string, () => void>> = {
  removed: () => rmSync(file),
  'moved away': () => renameSync(file, `${file}.away`),
  'exchanged for a copy': () => {
    copyFileSync(file, `${file}.copy`);
    renameSync(`${file}.copy`, file);
  },
};

describe.each(Object.entries(WAYS))('a database of messages that is %s while it is open', (_way, take) => {
  it('takes nothing in, and does not say that anything is stored', async () => {
    take();
    await expect(write('after')).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE', message: expect.stringContaining('was taken away') });
  });

  it('is not searched, and the answer says why, not where it lies', async () => {
    const search = createMessageSearch({ file });
    expect((await search.search({ text: 'falcons' }, null)).results).toHaveLength(1);
    take();
    const answer = await search.search({ text: 'falcons' }, null);
    await search.stop();
    expect(answer.results).toEqual([]);
    expect(answer.diagnostics).toMatchObject({ degraded: true, search_index_reason: expect.stringContaining('was taken away') });
    expect(JSON.stringify(answer)).not.toContain(directory);
  });

  it('makes its process say at /readyz that it holds another one', async () => {
    const held = holdPlaces({ messages: file });
    await held.start();
    expect(held.findings()).toEqual([{ name: 'messages', ok: true, detail: expect.anything() }]);
    take();
    expect(held.findings()).toEqual([{ name: 'messages', ok: false, detail: expect.stringContaining('was exchanged') }]);
    await held.stop();
  });
});

describe('a database of messages that is gone', () => {
  it('is told by the doctor, also when nothing runs, until there is one again', async () => {
    rmSync(file);
    expect(await doctor()).toMatchObject({ level: 'fail', found: expect.stringContaining('is gone') });
    await store.stop();
    expect(await doctor()).toMatchObject({ level: 'fail' });
    await store.start();
    expect(await doctor()).toMatchObject({ level: 'ok' });
    expect(lost).toBe(1);
  });

  it('takes messages in again once it is back, those too that were refused meanwhile', async () => {
    renameSync(file, `${file}.away`);
    await expect(write('meanwhile')).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    renameSync(`${file}.away`, file);
    await write('meanwhile');
    expect(rowsIn(file, 'SELECT subject FROM messages ORDER BY id').flat()).toEqual(['before', 'meanwhile']);
  });

  it('was never there before the first start, which tells nobody', async () => {
    expect(lost).toBe(0);
    expect(existsSync(file)).toBe(true);
  });
});
