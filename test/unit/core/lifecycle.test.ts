import { describe, expect, it, vi } from 'vitest';
import { lifecycle, parallel, sequential, together } from '../../../src/core/lifecycle.ts';
import { PATIENCE } from '../../support/patience.ts';

function recorded(log: string[], name: string, fails: { start?: boolean; stop?: boolean } = {}) {
  return lifecycle(
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
    const all = sequential(['a', 'b', 'c'].map((name) => recorded(log, name)));
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
    const all = sequential([recorded(log, 'a'), recorded(log, 'b', { start: true }), recorded(log, 'c')]);
    await expect(all.start()).rejects.toThrow('b refuses');
    expect(log).toEqual(['+a', '+b', '-b', '-a']);
  });

  it.each([
    ['in order', sequential],
    ['at once', parallel],
    ['together', together],
  ])('does not go on starting what is stopped meanwhile: %s', async (_name, asOne) => {
    const log: string[] = [];
    let release = (): void => undefined;
    const slow = lifecycle(
      () =>
        new Promise<void>((resolve) => {
          log.push('+slow');
          release = resolve;
        }),
      () => void log.push('-slow'),
    );
    const all = asOne([recorded(log, 'a'), slow, ...(asOne === sequential ? [recorded(log, 'later')] : [])]);
    const starting = all.start();
    await vi.waitFor(() => expect(log).toEqual(['+a', '+slow']), PATIENCE);
    await all.stop();
    expect([...log].sort()).toEqual(['+a', '+slow', '-a', '-slow']);
    release();
    await expect(starting).rejects.toThrow('stopped while it started');
    expect(log).toHaveLength(4);
  });

  it('starts at once what is stopped in reverse, one after the other', async () => {
    const log: string[] = [];
    const slow = (name: string) =>
      lifecycle(
        async () => {
          log.push(`+${name}`);
          await Promise.resolve();
          log.push(`${name} works`);
        },
        async () => {
          log.push(`-${name}`);
          await Promise.resolve();
          log.push(`${name} has ended`);
        },
      );
    const all = together([slow('a'), slow('b')]);
    await all.start();
    await all.stop();
    expect(log).toEqual(['+a', '+b', 'a works', 'b works', '-b', 'b has ended', '-a', 'a has ended']);
  });

  it('stops the others when one fails to stop, and tells', async () => {
    const log: string[] = [];
    const all = sequential([recorded(log, 'a'), recorded(log, 'b', { stop: true })]);
    await all.start();
    await expect(all.stop()).rejects.toThrow('b hangs on');
    expect(log).toEqual(['+a', '+b', '-b', '-a']);
  });

  it('starts and stops together what does not wait for another; one that refuses stops all', async () => {
    const log: string[] = [];
    let release = (): void => undefined;
    const slow = lifecycle(
      () => undefined,
      () =>
        new Promise<void>((resolve) => {
          release = resolve;
        }),
    );
    const all = parallel([slow, recorded(log, 'a')]);
    await all.start();
    const stopping = all.stop();
    await vi.waitFor(() => expect(log).toEqual(['+a', '-a']), PATIENCE);
    release();
    await stopping;
    log.length = 0;
    await expect(parallel([recorded(log, 'a'), recorded(log, 'b', { start: true }), recorded(log, 'c')]).start()).rejects.toThrow('b refuses');
    expect(log.toSorted()).toEqual(['+a', '+b', '+c', '-a', '-b', '-c']);
    const fails = parallel([recorded(log, 'a', { stop: true }), recorded(log, 'b')]);
    await fails.start();
    await expect(fails.stop()).rejects.toThrow('a hangs on');
  });
});
