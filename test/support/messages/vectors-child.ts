import { createVectorMaker } from '../../../src/messages/engines/vectors/maker.ts';
import { createHashEmbedder } from '../../../src/messages/search/embed/hash.ts';
import { openMessagesWriter } from '../../../src/messages/store/open.ts';

/** Edits of messages and their vectors, made in a process that a test may kill; each line is how many texts a step had. */
const { file, directory, batch } = JSON.parse(process.argv[2] ?? '') as { file: string; directory: string; batch: number };
const db = openMessagesWriter(file);
const maker = createVectorMaker(directory, createHashEmbedder(), () => db);
const edit = db.prepare(`UPDATE messages SET body_md = body_md || ' more' WHERE id % 2 = ?`);

for (let round = 0; ; round += 1) {
  for (let documents = 1; documents > 0; ) {
    ({ documents } = await maker.step(batch));
    process.stdout.write(`${documents}\n`);
  }
  edit.run(round % 2);
}
