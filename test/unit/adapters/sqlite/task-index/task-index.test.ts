import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryIndex } from '../../../../support/task-index.ts';

let threads = 0;
const count = (_: Worker): void => {
  threads += 1;
};
beforeEach(() => {
  threads = 0;
  process.on('worker', count);
});
afterEach(() => process.off('worker', count));

describe('the threads of a task index', () => {
  it('are one that writes, and one that reads from the first page on', async () => {
    await using temporary = await temporaryIndex();
    expect(threads).toBe(1);
    const pages = await Promise.all([temporary.index.list({}, { limit: 10 }), temporary.index.list({}, { limit: 10 })]);
    expect(pages.map(({ tasks }) => tasks)).toEqual([[], []]);
    expect(threads).toBe(2);
    await temporary.index.list({}, { limit: 10 });
    expect(threads).toBe(2);
  });

  it('are none after the end, whoever asks then', async () => {
    await using temporary = await temporaryIndex();
    await temporary.index.stop();
    await expect(temporary.index.list({}, { limit: 10 })).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    expect(threads).toBe(1);
  });
});
