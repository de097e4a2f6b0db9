import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refused } from '../../../../../src/adapters/linux/confined-fs/refusals.ts';
import { createSharedSync } from '../../../../../src/adapters/linux/confined-fs/shared-sync.ts';
import type { FsResult } from '../../../../../src/core/ports/confined-fs.ts';

const DONE: FsResult<void> = { ok: true, value: undefined };

/** An fsync that ends when the test says so. */
function createDisk() {
  const running: ((result: FsResult<void>) => void)[] = [];
  return {
    started: 0,
    fsync(): Promise<FsResult<void>> {
      this.started += 1;
      return new Promise((resolve) => running.push(resolve));
    },
    async finish(result = DONE): Promise<void> {
      running.shift()?.(result);
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

describe('shared fsync', () => {
  it('lets callers during a running fsync wait for one that starts after them', async () => {
    const [sync, disk] = [createSharedSync(), createDisk()];
    const call = (): Promise<FsResult<void>> => sync('d', () => disk.fsync());
    let late = 0;
    const first = call();
    const others = Array.from({ length: 10 }, () => call().then(() => (late += 1)));
    expect(disk.started).toBe(1);
    await disk.finish();
    await first;
    expect([late, disk.started]).toEqual([0, 2]);
    await disk.finish();
    await Promise.all(others);
    expect([late, disk.started]).toEqual([10, 2]);
  });

  it('starts anew when nobody waits', async () => {
    const [sync, disk] = [createSharedSync(), createDisk()];
    for (let i = 1; i <= 3; i++) {
      const call = sync('d', () => disk.fsync());
      expect(disk.started).toBe(i);
      await disk.finish();
      await call;
    }
  });

  it('does not share between directories', () => {
    const [sync, disk] = [createSharedSync(), createDisk()];
    void sync('one', () => disk.fsync());
    void sync('two', () => disk.fsync());
    expect(disk.started).toBe(2);
  });

  it('tells everybody who shared an fsync that it failed, and the next round nothing of it', async () => {
    const [sync, disk] = [createSharedSync(), createDisk()];
    const call = (): Promise<FsResult<void>> => sync('d', () => disk.fsync());
    const first = call();
    const second = [call(), call()];
    await disk.finish(refused('io', 'EIO'));
    expect(await first).toMatchObject({ errno: 'EIO' });
    await disk.finish();
    expect(await Promise.all(second)).toEqual([DONE, DONE]);
  });

  it('goes on after an fsync that threw', async () => {
    const sync = createSharedSync();
    const broken = sync('d', () => Promise.reject(new Error('gone')));
    const next = sync('d', () => Promise.resolve(DONE));
    await expect(broken).rejects.toThrow('gone');
    expect(await next).toEqual(DONE);
    expect(await sync('d', () => Promise.resolve(DONE))).toEqual(DONE);
  });

  it('always covers a change by an fsync that started later and ended before the answer', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.array(fc.constantFrom('one', 'two'), { minLength: 1, maxLength: 12 }), async (scheduler, keys) => {
        const sync = createSharedSync();
        let clock = 0;
        const rounds: { key: string; start: number; end: number }[] = [];
        const fsync = async (key: string): Promise<FsResult<void>> => {
          const start = ++clock;
          await scheduler.schedule(Promise.resolve());
          rounds.push({ key, start, end: ++clock });
          return DONE;
        };
        const callers = keys.map(async (key) => {
          await scheduler.schedule(Promise.resolve());
          const changed = ++clock;
          await sync(key, () => fsync(key));
          const answered = ++clock;
          expect(rounds.some((round) => round.key === key && round.start > changed && round.end < answered)).toBe(true);
        });
        await scheduler.waitFor(Promise.all(callers));
        expect(rounds.length).toBeLessThanOrEqual(keys.length);
      }),
    );
  });
});
