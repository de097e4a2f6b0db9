import { describe, expect, it } from 'vitest';
import { createDeafWatch, type DeafWatch } from '../../../processors/deaf-watch.ts';

const WAITING = { waiting: 3, paused: false };

interface Stage {
  readonly watch: DeafWatch;
  readonly told: object[];
  readonly inFlight: { size: number; progressCount: number };
  /** Lets time pass, then looks. */
  at(ms: number, found?: { waiting: number; paused: boolean } | Error): Promise<boolean>;
}

function stage(): Stage {
  let now = 0;
  let found: { waiting: number; paused: boolean } | Error = WAITING;
  const inFlight = { size: 0, progressCount: 0 };
  const told: object[] = [];
  const watch = createDeafWatch({
    queue: 'file',
    concurrency: 4,
    deafMs: 60_000,
    inFlight,
    look: async () => {
      if (found instanceof Error) throw found;
      return found;
    },
    clock: { monotonic: () => now },
    onDeaf: (what) => told.push(what),
  });
  return {
    watch,
    told,
    inFlight,
    async at(ms, seen = WAITING) {
      now = ms;
      found = seen;
      await watch.check();
      return watch.deaf;
    },
  };
}

describe('a worker', () => {
  it('is deaf when jobs wait, none moves, the queue is not paused and slots are free, for long enough; it is told once', async () => {
    const { at, told } = stage();
    expect([await at(0), await at(59_999), await at(60_000), await at(90_000)]).toEqual([false, false, true, true]);
    expect(told).toEqual([{ queue: 'file', waiting: 3, ms: 60_000 }]);
  });

  it('is not deaf any more when something moves, and may go deaf again', async () => {
    const { at, told, inFlight } = stage();
    await at(0);
    expect(await at(60_000)).toBe(true);
    inFlight.progressCount += 1;
    expect(await at(70_000)).toBe(false);
    expect([await at(80_000), await at(140_000)]).toEqual([false, true]);
    expect(told).toHaveLength(2);
  });

  it.each<[string, { waiting: number; paused: boolean } | Error]>([
    ['nothing waits', { waiting: 0, paused: false }],
    ['the queue is paused', { waiting: 3, paused: true }],
    ['Redis does not answer', new Error('away')],
  ])('is not deaf while %s; time begins anew afterwards', async (_, found) => {
    const { at } = stage();
    await at(0);
    expect([await at(30_000, found), await at(70_000), await at(129_999), await at(130_000)]).toEqual([false, false, false, true]);
  });

  it('is not deaf while all its slots are taken', async () => {
    const { at, inFlight } = stage();
    inFlight.size = 4;
    expect([await at(0), await at(600_000)]).toEqual([false, false]);
  });

  it('asks once at a time, and nothing any more once stopped', async () => {
    const { watch, at } = stage();
    await at(0);
    await at(60_000);
    expect(watch.check()).toBe(watch.check());
    await watch.start();
    await watch.stop();
    expect(watch.deaf).toBe(false);
  });
});
