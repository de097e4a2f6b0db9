import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Embedder } from '../../../../src/core/ports/embedder.ts';
import { createVectorSearcher, type VectorSearcher } from '../../../../src/messages/engines/vectors/engine.ts';
import { halvesOf } from '../../../../src/messages/engines/vectors/half.ts';
import { createVectorMaker, type VectorMaker, type VectorStep } from '../../../../src/messages/engines/vectors/maker.ts';
import { openVectorState } from '../../../../src/messages/engines/vectors/state.ts';
import { createHashEmbedder, createHashing } from '../../../../src/messages/search/embed/hash.ts';
import { createMessagesReader } from '../../../../src/messages/store/reader.ts';
import { addMails, mailboxFile, removeMails } from '../../../support/mailbox.ts';
import { BOX } from '../../../support/mailbox-small.ts';

const hashed = createHashing();
const DOCUMENTS = BOX.mails.length + BOX.agents.length + BOX.projects.length;

let box: ReturnType<typeof mailboxFile>;
let reader: ReturnType<typeof createMessagesReader>;
let directory: string;
let closers: (() => void)[];
/** Texts that an embedder was asked for. */
let asked: string[];

beforeEach(() => {
  box = mailboxFile(BOX);
  reader = createMessagesReader(box.file);
  directory = path.join(path.dirname(box.file), 'vectors');
  closers = [];
  asked = [];
});
afterEach(() => {
  for (const close of closers) close();
  reader.close();
  box.remove();
});

/** The hash embedder, watched, under a name. */
function embedder(id = 'fnv1a-384', before: (text: string) => void = () => undefined): Embedder {
  const hash = createHashEmbedder();
  return {
    ...hash,
    id,
    embed(texts) {
      for (const text of texts) before(text);
      asked.push(...texts);
      return hash.embed(texts);
    },
  };
}

function makerOf(one: Embedder = embedder()): VectorMaker {
  const maker = createVectorMaker(directory, one, reader.database);
  closers.push(maker.close);
  return maker;
}

function searcherOf(id = 'fnv1a-384'): VectorSearcher {
  const searcher = createVectorSearcher(directory, { id, dimension: 384 });
  closers.push(searcher.close);
  return searcher;
}

/** Steps until nothing is left to do. */
async function all(maker: VectorMaker, most = 3): Promise<VectorStep[]> {
  const steps: VectorStep[] = [];
  for (;;) {
    const step = await maker.step(most);
    if (step.documents === 0 && !step.finished) return steps;
    steps.push(step);
  }
}

/** What a search has of the messages, as vectors by id. */
function found(searcher: VectorSearcher): Record<number, number[]> | string {
  const answer = searcher.index('message');
  if (!answer.ok) return answer.error.message;
  const { ids, slab } = answer.value.index.vectors();
  return Object.fromEntries([...ids].map((id, at) => [id, [...slab.subarray(at * 384, at * 384 + 384)]]));
}

/** What it must have: the vectors of what the database says now. */
function wanted(): Record<number, number[]> {
  const rows = reader.database().prepare<[], { id: number; text: string }>(`SELECT id, subject || char(10) || body_md AS text FROM messages`).all();
  return Object.fromEntries(rows.map(({ id, text }) => [id, [...halvesOf(hashed(text))]]));
}

describe('vectors of messages', () => {
  it('are made step by step, and found once they are whole: one file for each kind and embedder', { tags: ['MS-164', 'MS-167'] }, async () => {
    const [maker, searcher] = [makerOf(), searcherOf()];
    expect(found(searcher)).toBe('the vectors are still being made');
    const first = await maker.step(4);
    expect(first).toMatchObject({ documents: 4, began: BOX.mails.length, finished: false });
    expect(found(searcher)).toBe('the vectors are still being made');
    expect(await maker.step(4)).toMatchObject({ documents: 2, began: null, finished: true });
    expect(found(searcher)).toEqual(wanted());
    await all(maker);
    expect(asked).toHaveLength(DOCUMENTS);
    expect(readdirSync(directory).filter((name) => name.endsWith('.amvi'))).toEqual([
      'agent.fnv1a-384.amvi',
      'message.fnv1a-384.amvi',
      'project.fnv1a-384.amvi',
    ]);
  });

  it('follow edits and removals, and nothing else is made again', async () => {
    const [maker, searcher] = [makerOf(), searcherOf()];
    await all(maker);
    expect(found(searcher)).toEqual(wanted());
    asked = [];
    box.db.exec(`UPDATE messages SET body_md = 'something else' WHERE id = 2; UPDATE messages SET importance = 'low' WHERE id = 3`);
    removeMails(box.db, [1, 4]);
    addMails(box.db, [{ ...(BOX.mails[0] as (typeof BOX.mails)[number]), id: 9, subject: 'Nine' }]);
    await all(maker);
    expect(asked.toSorted()).toEqual(['Nine\nplan', 'Note\nsomething else']);
    expect(found(searcher)).toEqual(wanted());
    expect(found(searcherOf())).toEqual(wanted());
    // An import may bring back the id of a message that was deleted.
    addMails(box.db, [{ ...(BOX.mails[0] as (typeof BOX.mails)[number]), subject: 'Back' }]);
    await all(maker);
    expect(found(searcher)).toEqual(wanted());
  });

  it('go on where they were when a step is cut off, and make nothing twice', async () => {
    let left = 3;
    const failing = embedder('fnv1a-384', () => {
      left -= 1;
      if (left < 0) throw new Error('the model is gone');
    });
    const broken = makerOf(failing);
    await broken.step(3);
    await expect(broken.step(3)).rejects.toThrow('the model is gone');
    broken.close();
    await all(makerOf());
    expect(asked).toHaveLength(DOCUMENTS);
    expect(found(searcherOf())).toEqual(wanted());
  });

  it('of a file that is newer than what is written beside it are the same: a crash came in between', async () => {
    const maker = makerOf();
    await maker.step(4);
    const before = path.join(path.dirname(box.file), 'before.sqlite');
    const state = openVectorState(directory);
    state.prepare('VACUUM INTO ?').run(before);
    state.close();
    await all(maker);
    maker.close();
    for (const name of readdirSync(directory)) if (name.startsWith('state.sqlite')) rmSync(path.join(directory, name));
    copyFileSync(before, path.join(directory, 'state.sqlite'));
    await all(makerOf());
    expect(found(searcherOf())).toEqual(wanted());
  });

  it('of another embedder are made anew, and the old ones go when these are whole', async () => {
    await all(makerOf());
    const maker = makerOf(embedder('other-384'));
    expect(await maker.step(4)).toMatchObject({ began: BOX.mails.length });
    expect(found(searcherOf('other-384'))).toBe('the vectors are still being made');
    await all(maker);
    expect(found(searcherOf('other-384'))).toEqual(wanted());
    expect(readdirSync(directory).filter((name) => name.endsWith('.amvi'))).toEqual([
      'agent.other-384.amvi',
      'message.other-384.amvi',
      'project.other-384.amvi',
    ]);
    expect(found(searcherOf())).toBe('the vectors are still being made');
  });

  it('in a damaged file are not searched, and are made anew', async () => {
    const maker = makerOf();
    await all(maker);
    maker.close();
    const file = path.join(directory, 'message.fnv1a-384.amvi');
    const bytes = readFileSync(file);
    bytes[100] = (bytes[100] ?? 0) ^ 1;
    writeFileSync(file, bytes);
    const searcher = searcherOf();
    expect(found(searcher)).toBe('the file of vectors cannot be read: its digest is another one');
    const steps = await all(makerOf());
    expect(steps[0]).toMatchObject({ began: BOX.mails.length });
    expect(found(searcher)).toEqual(wanted());
  });

  it('of other messages are no longer found', async () => {
    await all(makerOf());
    box.db.exec(`UPDATE meta SET value = 'another file' WHERE key = 'generation'`);
    const steps = await all(makerOf());
    expect(steps.filter(({ began }) => began !== null)).toHaveLength(3);
    expect(found(searcherOf())).toEqual(wanted());
  });

  it('that are none are an error, and nothing is stored', async () => {
    const maker = makerOf({ ...embedder(), embed: async (texts) => texts.map(() => new Float32Array(384).fill(Number.NaN)) });
    await expect(maker.step(3)).rejects.toThrow('no vector');
    await expect(makerOf({ ...embedder(), embed: async () => [] }).step(3)).rejects.toThrow('no vector');
    expect(found(searcherOf())).toBe('the vectors are still being made');
  });

  it('that nobody has made yet are a reason, and no error', () => {
    expect(found(createVectorSearcher(path.join(directory, 'nowhere'), { id: 'fnv1a-384', dimension: 384 }))).toContain('cannot open the database');
  });
});
