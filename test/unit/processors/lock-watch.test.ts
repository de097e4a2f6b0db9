import { describe, expect, it } from 'vitest';
import { createLockWatch } from '../../../processors/lock-watch.ts';

function setUp() {
  const time = { wall: 1_000_000, monotonic: 0 };
  const watch = createLockWatch(9_000, { now: () => time.wall, monotonic: () => time.monotonic });
  const pass = (ms: number): void => {
    time.wall += ms;
    time.monotonic += ms;
  };
  return { watch, pass, time };
}

describe('lock watch', () => {
  it('calls a lock fresh until 0.6 of its duration has passed since the last renewal', () => {
    const { watch, pass, time } = setUp();
    watch.begin('j', time.wall);
    pass(5_400);
    expect(watch.isFresh('j')).toBe(true);
    pass(1);
    expect(watch.isFresh('j')).toBe(false);
    watch.renewed(['j', 'other']);
    expect(watch.isFresh('j')).toBe(true);
    expect(watch.isFresh('other')).toBe(false);
  });

  it('counts the time that a job waited in a busy event loop after its fetch', () => {
    const { watch, time } = setUp();
    watch.begin('j', time.wall - 6_000);
    expect(watch.isFresh('j')).toBe(false);
  });

  it('knows nothing of a job that has ended', () => {
    const { watch, time } = setUp();
    watch.begin('j', time.wall);
    watch.end('j');
    expect(watch.isFresh('j')).toBe(false);
  });
});
