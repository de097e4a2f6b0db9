import { loadTantivy } from '../../../src/messages/engines/tantivy/binding.ts';
import { createTantivyIndexer } from '../../../src/messages/engines/tantivy/indexer.ts';
import { openMessagesWriter } from '../../../src/messages/store/open.ts';
import { addMails, removeMails } from '../mailbox.ts';
import { BOX } from '../mailbox-small.ts';

/** Messages and their index, written in a process that a test may kill; each line is what is begun. */
const { file, root } = JSON.parse(process.argv[2] ?? '') as { file: string; root: string };
const loaded = loadTantivy();
const [mail] = BOX.mails;
if (!loaded.ok || mail === undefined) throw new Error('there is nothing to index with');
const db = openMessagesWriter(file);
const indexer = createTantivyIndexer({ tantivy: loaded.tantivy, root, db, emit: () => undefined });
const top = db.prepare<[], number>('SELECT max(id) FROM messages').pluck();

for (let round = 0; ; round += 1) {
  const from = (top.get() ?? 0) + 1;
  addMails(
    db,
    Array.from({ length: 40 }, (_, index) => ({ ...mail, id: from + index })),
  );
  removeMails(db, [from, from + 1]);
  process.stdout.write(round % 4 === 3 ? 'rebuild\n' : 'follow\n');
  if (round % 4 === 3) indexer.rebuild();
  else indexer.follow();
}
