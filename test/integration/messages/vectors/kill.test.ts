import path from 'node:path';
import { expect, it } from 'vitest';
import { createVectorSearcher } from '../../../../src/messages/engines/vectors/engine.ts';
import { halvesOf } from '../../../../src/messages/engines/vectors/half.ts';
import { createVectorMaker } from '../../../../src/messages/engines/vectors/maker.ts';
import { createHashEmbedder, createHashing } from '../../../../src/messages/search/embed/hash.ts';
import { createMessagesReader } from '../../../../src/messages/store/reader.ts';
import { mailboxFile } from '../../../support/mailbox.ts';
import { BOX } from '../../../support/mailbox-small.ts';
import { killedAfter } from '../../../support/messages/killed.ts';

const BATCH = 60;
const MAILS = 36 * BATCH;
const embedder = createHashEmbedder();
const hashed = createHashing();

it('vectors whose maker is killed while it writes rows, files or goes on to the next are never torn, and go on where they were', {
  tags: ['MS-167'],
}, async () => {
  const [mail] = BOX.mails;
  if (mail === undefined) throw new Error('there is no mail');
  const box = mailboxFile({ ...BOX, mails: Array.from({ length: MAILS }, (_, index) => ({ ...mail, id: index + 1, subject: `Plan ${index}` })) });
  const directory = path.join(path.dirname(box.file), 'vectors');
  const reader = createMessagesReader(box.file);
  const first = MAILS / BATCH;
  const again = first / 2;
  // In the middle of the first making; about its file; about the file after edits.
  for (const [steps, afterMs] of [
    [5, 1],
    [first - 6, 4],
    [first - 2, 8],
    [again, 2],
    [2 * again + 1, 5],
  ] as const) {
    await killedAfter('./vectors-child.ts', { file: box.file, directory, batch: BATCH }, steps, afterMs);
    const searcher = createVectorSearcher(directory, embedder);
    const ready = searcher.index('message');
    if (ready.ok) expect(ready.value.index.size).toBe(MAILS);
    else expect(ready.error.message).toBe('the vectors are still being made');
    searcher.close();
  }
  // What is left is made; what was there is not made again.
  let asked = 0;
  const counting = {
    ...embedder,
    embed(texts: readonly string[]) {
      asked += texts.length;
      return embedder.embed(texts);
    },
  };
  const maker = createVectorMaker(directory, counting, reader.database);
  for (let step = await maker.step(BATCH); step.documents > 0 || step.finished; ) step = await maker.step(BATCH);
  // No edit is made before all is there, and each concerns half of the messages.
  expect(asked).toBeLessThanOrEqual(MAILS / 2 + BOX.agents.length + BOX.projects.length);
  maker.close();
  const searcher = createVectorSearcher(directory, embedder);
  const answer = searcher.index('message');
  if (!answer.ok) throw new Error(answer.error.message);
  const { ids, slab } = answer.value.index.vectors();
  const texts = reader.database().prepare<[], { id: number; text: string }>(`SELECT id, subject || char(10) || body_md AS text FROM messages`).all();
  const wanted = new Map(texts.map(({ id, text }) => [id, Buffer.from(halvesOf(hashed(text)).buffer)]));
  expect(ids.length).toBe(MAILS);
  const differing = Array.from(ids).filter((id, at) => {
    const { buffer, byteOffset } = slab.subarray(at * 384, at * 384 + 384);
    return wanted.get(id)?.equals(Buffer.from(buffer, byteOffset, 768)) !== true;
  });
  expect(differing).toEqual([]);
  searcher.close();
  reader.close();
  box.remove();
});
