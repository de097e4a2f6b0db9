import { afterAll, describe, expect, it } from 'vitest';
import type { SearchMode } from '../../../../src/contracts/index.ts';
import type { Embedder } from '../../../../src/core/ports/embedder.ts';
import { mailboxFile } from '../../../support/mailbox.ts';
import { BOX, T } from '../../../support/mailbox-small.ts';
import { semanticSearchOver } from '../../../support/semantic-search.ts';

const LIKED = 'liked';
/** Vectors as of a model: whatever is asked, texts with one word are the nearest. */
const model: Embedder = {
  id: 'test-likes',
  dimension: 8,
  knowsMeaning: true,
  embed: async (texts) => texts.map((text) => Float32Array.of(...(text.includes(LIKED) || !text.includes('\n') ? [1, 0] : [0.6, 0.8]), 0, 0, 0, 0, 0, 0)),
};
const OTHERS = 12;
const mails = [
  ['Call rotateKeys', 'before that'],
  ['What to do', `${LIKED}: rotate the keys, said someone; rotate keys`],
  ['Rotate the keys', 'by hand, once more'],
  ['Notes', `${LIKED}: when rotateKeys fails and nobody sees it`],
  ...Array.from({ length: OTHERS }, (_, at) => ['Report', `${LIKED} without any of it ${at}`] as const),
] as const;
const template = BOX.mails[0];
const box = mailboxFile({
  ...BOX,
  mails: mails.flatMap(([subject, body], at) => (template === undefined ? [] : [{ ...template, id: at + 1, subject, body, created_ts: T + at }])),
});
const hashed = semanticSearchOver(box.file);
const modelled = semanticSearchOver(box.file, { embedder: model });
afterAll(() => {
  hashed.close();
  modelled.close();
  box.remove();
});
const found = async (search: typeof hashed, text: string, mode: SearchMode) =>
  (await search.search({ text, mode, limit: 50, retry: false }, null)).results.map(({ id }) => id);

describe('hybrid beside words alone', () => {
  it.each(['rotate keys', '"rotate the keys"', 'rotateKeys'])('has what words find of %s in the same places, where vectors know words only', async (text) => {
    const words = await found(hashed, text, 'lexical');
    expect((await found(hashed, text, 'hybrid')).slice(0, words.length)).toEqual(words);
  });

  it('adds rows that have any of the words, and none that have nothing of them', async () => {
    expect(await found(hashed, 'rotate once', 'lexical')).toEqual([3]);
    expect(await found(hashed, 'rotate once', 'hybrid')).toEqual([3, 2]);
  });

  it.each([
    ['"rotate the keys"', 3],
    ['rotateKeys', 1],
  ])('leaves %s first where it stands, whatever a model says', async (text, first) => {
    expect((await found(modelled, text, 'lexical'))[0]).toBe(first);
    expect((await found(modelled, text, 'semantic')).indexOf(first)).toBeGreaterThan(OTHERS);
    expect((await found(modelled, text, 'hybrid'))[0]).toBe(first);
  });

  it('lets a model move what has nothing but the words', async () => {
    expect((await found(modelled, 'rotate the', 'lexical'))[0]).toBe(3);
    expect((await found(modelled, 'rotate the', 'hybrid'))[0]).toBe(2);
  });
});
