import { closeSync, mkdtempSync, openSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigSchema } from '../../../config/schema.ts';
import { Sqlite } from '../../../src/adapters/sqlite/driver.ts';
import { PutMessage } from '../../../src/contracts/index.ts';
import { examineMessages } from '../../../src/messages/serving/doctor.ts';
import { createMessageSearch } from '../../../src/messages/serving/message-search.ts';
import { createWriteEngine } from '../../../src/messages/store/write/engine.ts';
import { besideText } from '../../../src/surfaces/cli/messages/render.ts';

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'writ-damaged-mail-'));
  file = path.join(directory, 'messages.sqlite');
  const engine = createWriteEngine(file);
  const mail = { op: 'message', project: 'p', from: 'BlueLake', to: ['RedStone'], body_md: 'the deploy of the day '.repeat(40) };
  engine.apply([{ at: 1, ops: Array.from({ length: 400 }, (_, at) => PutMessage.parse({ ...mail, key: `k${at}`, subject: `Deploy ${at}` })) }]);
  engine.close();
});
afterEach(() => rmSync(directory, { recursive: true }));

function overwrite(from: number, bytes: number): void {
  const fd = openSync(file, 'r+');
  writeSync(fd, Buffer.alloc(bytes, 0xa5), 0, bytes, from);
  closeSync(fd);
}

/** What may become of a file on a bad day. */
const DAMAGES: Readonly<Record<string, () => void>> = {
  'its beginning': () => overwrite(0, 100),
  'its middle': () => overwrite(3 * 4096, statSync(file).size / 2),
  'its end, which is cut off': () => truncateSync(file, 100_000),
  'its full text': () => {
    const db = new Sqlite(file);
    db.unsafeMode(true).exec(`UPDATE fts_messages_data SET block = zeroblob(length(block)) WHERE id > 10`);
    db.close();
  },
};

describe.each(Object.entries(DAMAGES))('a database of messages with damage in %s', (_where, damage) => {
  it('says that it is damaged wherever it is asked, and what to do; not where it lies', async () => {
    damage();
    const search = createMessageSearch({ file });
    const answer = await search.search({ text: 'deploy', explain: true }, null);
    await search.stop();
    expect(answer.diagnostics).toMatchObject({ degraded: true, remediation_hints: expect.arrayContaining([expect.stringContaining('is damaged')]) });
    expect([...besideText(answer)].join('\n')).toContain('The database of messages is damaged');
    expect(JSON.stringify(answer)).not.toContain(directory);
    if (answer.results.length === 0) expect(answer.guidance).toEqual({ summary: 'Nothing could be searched.' });
    const { messages } = ConfigSchema.parse({});
    const [database] = await examineMessages(messages, { messages: file, messagesTantivy: path.join(directory, 'tantivy') });
    expect(database).toMatchObject({
      title: 'Database',
      level: 'fail',
      found: expect.stringMatching(/^damaged: /),
      todo: expect.stringContaining('messages rebuild'),
    });
  });
});

describe('a database of messages', () => {
  it('is told sound by the doctor, and so is one that is not there yet', async () => {
    const { messages } = ConfigSchema.parse({});
    const look = async (name: string) => (await examineMessages(messages, { messages: name, messagesTantivy: path.join(directory, 'tantivy') }))[0];
    expect(await look(file)).toMatchObject({ level: 'ok', found: expect.stringMatching(/, sound$/) });
    expect(await look(path.join(directory, 'none'))).toMatchObject({ level: 'ok', found: 'no messages yet' });
  });
});
