import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createToolKeeper } from '../../../../src/content-search/io/tool-keeper.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A keeper of two for a minute, and what happened to its tools. */
function rig() {
  const log: string[] = [];
  const keeper = createToolKeeper<{ readonly name: string; close(): void }>(2, 60_000);
  const open = (name: string) =>
    keeper.open(name, async () => {
      log.push(`open ${name}`);
      return { name, close: () => void log.push(`close ${name}`) };
    });
  const settled = () => vi.advanceTimersByTimeAsync(0);
  return { keeper, open, log, settled };
}

describe('a keeper of tools', () => {
  it('opens once what is wanted often, also at the same time', async () => {
    const { open, log } = rig();
    const [one, two] = await Promise.all([open('a'), open('a')]);
    one.close();
    two.close();
    (await open('a')).close();
    expect(log).toEqual(['open a']);
  });

  it('closes what nobody used for its time, and never what is used', async () => {
    const { open, log } = rig();
    const used = await open('a');
    (await open('b')).close();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(log).toEqual(['open a', 'open b', 'close b']);
    used.close();
    used.close();
    await vi.advanceTimersByTimeAsync(0);
    expect(log.at(-1)).toBe('close a');
  });

  it('gives out nothing that is older than its time, however often it is wanted', async () => {
    const { open, log, settled } = rig();
    const old = await open('a');
    await vi.advanceTimersByTimeAsync(60_000);
    const fresh = await open('a');
    old.close();
    await settled();
    expect(log).toEqual(['open a', 'open a', 'close a']);
    fresh.close();
    (await open('a')).close();
    expect(log).toHaveLength(3);
  });

  it('keeps no more than it may, the last used ones', async () => {
    const { open, log, settled } = rig();
    for (const name of ['a', 'b', 'a', 'c']) (await open(name)).close();
    await settled();
    expect(log).toEqual(['open a', 'open b', 'open c', 'close b']);
  });

  it('does not remember what could not be opened', async () => {
    const { keeper, open, log } = rig();
    await expect(keeper.open('a', () => Promise.reject(new Error('not there')))).rejects.toThrow('not there');
    (await open('a')).close();
    expect(log).toEqual(['open a']);
  });

  it('that closes lets go of what is used when it is given back', async () => {
    const { keeper, open, log, settled } = rig();
    const used = await open('a');
    (await open('b')).close();
    keeper.close();
    await settled();
    expect(log.at(-1)).toBe('close b');
    used.close();
    await settled();
    expect(log.at(-1)).toBe('close a');
  });
});
