import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openOnnxEmbedder } from '../../../../src/messages/engines/onnx/embedder.ts';
import { openOnnxReranker } from '../../../../src/messages/engines/onnx/reranker.ts';
import { writeEmbedder, writeReranker } from '../../../support/tiny-model.ts';

let home: string;
beforeAll(() => {
  home = mkdtempSync(path.join(tmpdir(), 'writ-models-'));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const WORDS = { red: [1, 0, 0, 0], blue: [0, 1, 0, 0], big: [0, 0, 2, 0], not: [-3, 0, 0, 0] };

describe('a sentence-embedding model in a directory', () => {
  it('makes the mean of its vectors of words, of length 1, whatever else is in the batch', { tags: ['MS-008'] }, async () => {
    const directory = path.join(home, 'embedder');
    writeEmbedder(directory, WORDS);
    const embedder = await openOnnxEmbedder(directory);
    expect(embedder.dimension).toBe(4);
    expect(embedder.id).toMatch(/^onnx-[0-9a-f]{12}$/);
    const texts = ['red', 'RED blue', 'red blue big big', 'nobody knows', ...Array.from({ length: 40 }, () => 'blue'), 'not red'];
    const vectors = await embedder.embed(texts);
    const rounded = vectors.map((vector) => [...vector].map((number) => Math.round(number * 1e6) / 1e6));
    const [half, third] = [Math.round(Math.SQRT1_2 * 1e6) / 1e6, Math.sqrt(18)];
    expect(rounded.slice(0, 4)).toEqual([
      [1, 0, 0, 0],
      [half, half, 0, 0],
      [1 / third, 1 / third, 4 / third, 0].map((number) => Math.round(number * 1e6) / 1e6),
      [0, 0, 0, 0],
    ]);
    expect(rounded.slice(4, -1)).toEqual(Array.from({ length: 40 }, () => [0, 1, 0, 0]));
    expect(rounded.at(-1)).toEqual([-1, 0, 0, 0]);
    await expect(embedder.embed([''])).rejects.toThrow('empty');
  });

  it('cuts what is longer than it reads, not the marks at its end', async () => {
    const directory = path.join(home, 'cut');
    writeEmbedder(directory, WORDS);
    const embedder = await openOnnxEmbedder(directory);
    // 510 words and two marks: the blue one is the first that is cut.
    const [all, cut] = await embedder.embed([`${'red '.repeat(509)}blue`, `${'red '.repeat(510)}blue ${'big '.repeat(100_000)}`]);
    expect([...(all ?? [])][1]).toBeGreaterThan(0);
    expect([...(cut ?? [])]).toEqual([1, 0, 0, 0]);
  });

  it('has another name when a byte of it is another one', async () => {
    const [one, two] = [path.join(home, 'one'), path.join(home, 'two')];
    writeEmbedder(one, WORDS);
    writeEmbedder(two, { ...WORDS, red: [1, 0, 0, 0.5] });
    expect((await openOnnxEmbedder(one)).id).not.toBe((await openOnnxEmbedder(two)).id);
  });

  it.each<readonly [string, (directory: string) => void, string]>([
    ['no model', (directory) => rmSync(path.join(directory, 'model.onnx')), 'model.onnx of the model cannot be read (ENOENT)'],
    ['no tokenizer', (directory) => rmSync(path.join(directory, 'tokenizer.json')), 'tokenizer.json of the model cannot be read (ENOENT)'],
    ['a tokenizer that is none', (directory) => writeFileSync(path.join(directory, 'tokenizer.json'), '[]'), 'tokenizer.json of the model is no JSON object'],
    ['half a tokenizer', (directory) => truncateSync(path.join(directory, 'tokenizer.json'), 20), 'tokenizer.json of the model is no JSON object'],
    [
      'a tokenizer too large',
      (directory) => truncateSync(path.join(directory, 'tokenizer.json'), 2 ** 26 + 1),
      'tokenizer.json of the model is larger than 67108864 bytes',
    ],
    ['a model that is none', (directory) => writeFileSync(path.join(directory, 'model.onnx'), 'no model'), 'Failed to load model'],
    ['an unknown vocabulary', (directory) => writeFileSync(path.join(directory, 'tokenizer.json'), '{"model":{"type":"What"}}'), 'Tokenizer must contain'],
  ])('is refused with a reason when there is %s', async (name, damage, reason) => {
    const directory = path.join(home, name.replaceAll(' ', '-'));
    writeEmbedder(directory, WORDS);
    damage(directory);
    await expect(openOnnxEmbedder(directory)).rejects.toThrow(reason);
  });
});

describe('a cross-encoder in a directory', () => {
  const waiting = new AbortController().signal;

  it('judges each pair of query and text', { tags: ['MS-010', 'MS-065', 'MS-166'] }, async () => {
    const directory = path.join(home, 'reranker');
    writeReranker(directory, { good: 2, bad: -1.5, plan: 0.25 });
    const reranker = await openOnnxReranker(directory);
    expect(await reranker.judge('plan', ['good', 'bad bad', '', 'plan good'], waiting)).toEqual([2.25, -2.75, 0.25, 2.5]);
    expect(
      await reranker.judge(
        'plan',
        Array.from({ length: 70 }, (_, at) => (at % 2 === 0 ? 'good' : 'bad')),
        waiting,
      ),
    ).toHaveLength(70);
    expect(await reranker.judge('plan', [], waiting)).toEqual([]);
  });

  it('ends between two batches when nobody waits any more', async () => {
    const directory = path.join(home, 'patience');
    writeReranker(directory, { good: 1 });
    const judged = (await openOnnxReranker(directory)).judge('good', ['good'], AbortSignal.abort(new Error('too late')));
    await expect(judged).rejects.toThrow('too late');
  });

  it('reads the beginning of both where they are long', async () => {
    const directory = path.join(home, 'long');
    writeReranker(directory, { good: 1, bad: -1, other: 0 });
    const reranker = await openOnnxReranker(directory);
    // 509 words are read: a query of one, and 508 of the text.
    expect(await reranker.judge('good', [`${'other '.repeat(507)}bad bad bad`], waiting)).toEqual([0]);
    // Both are long: 255 and 254 of them.
    const [judged] = await reranker.judge('good '.repeat(600), ['bad '.repeat(600)], waiting);
    expect(Math.abs(judged ?? 9)).toBeLessThanOrEqual(1);
  });

  it('is refused when it answers more than a number', async () => {
    const directory = path.join(home, 'many');
    writeEmbedder(directory, WORDS);
    await expect((await openOnnxReranker(directory)).judge('red', ['blue'], waiting)).rejects.toThrow('numbers for a pair');
  });
});
