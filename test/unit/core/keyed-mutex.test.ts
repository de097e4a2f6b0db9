import { describe, expect, it } from 'vitest';
import { createKeyedMutex } from '../../../src/core/keyed-mutex.ts';

const later = () => {
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { gate, open: () => open() };
};

describe('turns', () => {
  it('are taken one at a time for each key, in the order in which they came', async () => {
    const turns = createKeyedMutex();
    const [first, second] = [later(), later()];
    const seen: string[] = [];
    const one = turns('a', async () => {
      seen.push('first');
      await first.gate;
    });
    const two = turns('a', async () => {
      seen.push('second');
      await second.gate;
    });
    await turns('b', async () => void seen.push('other'));
    expect(seen).toEqual(['first', 'other']);
    first.open();
    await one;
    second.open();
    await two;
    expect(seen).toEqual(['first', 'other', 'second']);
  });

  it('go on after one that failed, and hand its error to whoever asked for it', async () => {
    const turns = createKeyedMutex();
    const failed = turns('a', () => Promise.reject(new Error('no')));
    const after = turns('a', async () => 'yes');
    await expect(failed).rejects.toThrow('no');
    await expect(after).resolves.toBe('yes');
  });
});
