import { describe, expect, it } from 'vitest';
import { inOrder, part } from '../../../src/core/parts.ts';

function recorded(log: string[], name: string, fails: { start?: boolean; stop?: boolean } = {}) {
  return part(
    () => {
      log.push(`+${name}`);
      if (fails.start) throw new Error(`${name} refuses`);
    },
    () => {
      log.push(`-${name}`);
      if (fails.stop) throw new Error(`${name} hangs on`);
    },
  );
}

describe('parts', () => {
  it('starts in order and stops in reverse', async () => {
    const log: string[] = [];
    const all = inOrder(['a', 'b', 'c'].map((name) => recorded(log, name)));
    await all.start();
    await all.stop();
    expect(log).toEqual(['+a', '+b', '+c', '-c', '-b', '-a']);
  });

  it('tolerates a stop before the start, and both twice', async () => {
    const log: string[] = [];
    const one = recorded(log, 'a');
    await one.stop();
    await one.start();
    await one.start();
    await one.stop();
    await one.stop();
    expect(log).toEqual(['+a', '-a']);
  });

  it('stops what runs when a later part refuses to start', async () => {
    const log: string[] = [];
    const all = inOrder([recorded(log, 'a'), recorded(log, 'b', { start: true }), recorded(log, 'c')]);
    await expect(all.start()).rejects.toThrow('b refuses');
    expect(log).toEqual(['+a', '+b', '-b', '-a']);
  });

  it('stops the others when one fails to stop, and tells', async () => {
    const log: string[] = [];
    const all = inOrder([recorded(log, 'a'), recorded(log, 'b', { stop: true })]);
    await all.start();
    await expect(all.stop()).rejects.toThrow('b hangs on');
    expect(log).toEqual(['+a', '+b', '-b', '-a']);
  });
});
