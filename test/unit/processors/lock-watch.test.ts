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
  it('calls a lock fresh until 0.6 of its duration has passed since the last renewal was asked for', () => {
    const { watch, pass, time } = setUp();
    const lock = watch.begin('j', time.wall);
    pass(5_400);
    expect(lock.isFresh()).toBe(true);
    pass(1);
    expect(lock.isFresh()).toBe(false);
    watch.renewing(['j', 'other']);
    expect(lock.isFresh()).toBe(false);
    watch.renewed(['j', 'other']);
    expect(lock.isFresh()).toBe(true);
  });

  it('does not take an answer for fresh that was read late: the process stood still, and the lock ran out meanwhile', () => {
    const { watch, pass, time } = setUp();
    const lock = watch.begin('j', time.wall);
    pass(3_000);
    watch.renewing(['j']);
    pass(20_000);
    watch.renewed(['j']);
    expect(lock.isFresh()).toBe(false);
  });

  it('does not give a delivery the lock of the next one of its job in this process', () => {
    const { watch, pass, time } = setUp();
    const lost = watch.begin('j', time.wall);
    pass(20_000);
    const lock = watch.begin('j', time.wall);
    expect([lost.isFresh(), lock.isFresh()]).toEqual([false, true]);
    watch.renewing(['j']);
    watch.renewed(['j']);
    lost.end();
    expect([lost.isFresh(), lock.isFresh()]).toEqual([false, true]);
  });

  it('counts the time that a job waited in a busy event loop after its fetch', () => {
    const { watch, time } = setUp();
    expect(watch.begin('j', time.wall - 6_000).isFresh()).toBe(false);
  });

  it('knows nothing of a job that has ended', () => {
    const { watch, time } = setUp();
    const lock = watch.begin('j', time.wall);
    lock.end();
    expect(lock.isFresh()).toBe(false);
  });
});
