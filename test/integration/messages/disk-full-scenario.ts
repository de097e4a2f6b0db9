import { rmSync } from 'node:fs';
import path from 'node:path';
import { Sqlite } from '../../../src/adapters/sqlite/driver.ts';
import { isWritError } from '../../../src/core/errors.ts';
import { createMessageStore } from '../../../src/messages/store/store.ts';
import { message } from '../../support/messages/samples.ts';
import { fillDisk, mountSmallDisk } from '../../support/small-disk.ts';

/** Runs in a mount namespace of its own: fills a small file system under the messages, makes room, and goes on. */
const directory = process.argv[2] ?? '';
mountSmallDisk(directory, { bytes: 2 ** 22, command: 'npm test' });

const file = path.join(directory, 'messages', 'messages.sqlite');
const filler = path.join(directory, 'filler');
const store = createMessageStore({ file, batchOps: 100 });
await store.start();

const batch = (n: number) => ({
  at: n + 1,
  ops: Array.from({ length: 10 }, (_, k) => message({ key: `b${n}-${k}`, body_md: `word${n} `.repeat(2000) })),
});
await store.write(batch(0));
fillDisk(filler);

let [stood, code] = [1, ''];
for (; code === ''; stood += code === '' ? 1 : 0) {
  try {
    await store.write(batch(stood));
  } catch (error) {
    code = isWritError(error) ? error.code : String(error);
  }
}
const whileFull = counts();
rmSync(filler);
const again = await store.write(batch(stood));
const afterRoom = counts();
await store.stop();
process.stdout.write(`${JSON.stringify({ stood, code, whileFull, again: again.counts.inserted, afterRoom, sound: sound() })}\n`);

/** Messages, their full text, and recipients, as another process reads them. */
function counts(): readonly number[] {
  const db = new Sqlite(file, { readonly: true });
  const count = (table: string): number => db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? -1;
  const all = ['messages', 'fts_messages', 'message_recipients'].map(count);
  db.close();
  return all;
}

function sound(): unknown {
  const db = new Sqlite(file);
  db.exec(`INSERT INTO fts_messages (fts_messages, rank) VALUES ('integrity-check', 0)`);
  const answer = db.pragma('integrity_check', { simple: true });
  db.close();
  return answer;
}
