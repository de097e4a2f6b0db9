import { createPostgresqlMirror } from '../../../src/messages/engines/postgresql/mirror.ts';
import { openMessagesWriter } from '../../../src/messages/store/open.ts';
import { addMails, removeMails } from '../mailbox.ts';
import { BOX } from '../mailbox-small.ts';
import { postgresqlAt } from '../postgresql.ts';

/** Messages and their copy, written in a process that a test may kill; each line is what is begun. */
const { file, url } = JSON.parse(process.argv[2] ?? '') as { file: string; url: string };
const [mail] = BOX.mails;
if (mail === undefined) throw new Error('the mailbox is empty');
const db = openMessagesWriter(file);
const mirror = createPostgresqlMirror({ postgresql: postgresqlAt(url), db, emit: () => undefined, batch: 10 });
const top = db.prepare<[], number>('SELECT max(id) FROM messages').pluck();

for (let round = 0; ; round += 1) {
  const from = (top.get() ?? 0) + 1;
  addMails(
    db,
    Array.from({ length: 40 }, (_, index) => ({ ...mail, id: from + index, body: `plan ${'word '.repeat(index)}` })),
  );
  removeMails(db, [from, from + 1]);
  process.stdout.write(round % 4 === 3 ? 'rebuild\n' : 'follow\n');
  await (round % 4 === 3 ? mirror.rebuild() : mirror.follow());
}
