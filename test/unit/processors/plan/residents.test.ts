import { describe, expect, it, vi } from 'vitest';
import { createResidents, RESIDENT_MS } from '../../../../processors/plan/residents.ts';
import { WritError } from '../../../../src/core/errors.ts';

/** A channel that tests speak into. */
function channel() {
  const listeners = new Map<string, () => void>();
  const left: string[] = [];
  const onRecorded = async (taskId: string, listener: () => void): Promise<() => Promise<void>> => {
    listeners.set(taskId, listener);
    return async () => void left.push(taskId);
  };
  return { onRecorded, left, tell: (taskId: string) => listeners.get(taskId)?.(), heard: (taskId: string) => vi.waitUntil(() => listeners.has(taskId)) };
}

const NOT_YET = async (): Promise<boolean> => false;
const RUNS = new AbortController().signal;

describe('a walk that waits in its slot', () => {
  it('goes on when the outcome is told, and leaves the channel', async () => {
    const { onRecorded, tell, heard, left } = channel();
    const waits = createResidents({ onRecorded, slots: 4 }).hear('task', NOT_YET, RUNS);
    await heard('task');
    tell('task');
    expect(await waits).toBe(true);
    expect(left).toEqual(['task']);
  });

  it('goes on when the outcome was there before anybody listened', async () => {
    expect(await createResidents({ onRecorded: channel().onRecorded, slots: 4 }).hear('task', async () => true, RUNS)).toBe(true);
  });

  it('gives its slot back in the end, when the worker stops, and when the delivery is told to stop', async () => {
    vi.useFakeTimers();
    try {
      const { onRecorded } = channel();
      const residents = createResidents({ onRecorded, slots: 8 });
      const delivery = new AbortController();
      const [late, stopped, cancelled] = [
        residents.hear('a', NOT_YET, RUNS),
        residents.hear('b', NOT_YET, RUNS),
        residents.hear('c', NOT_YET, delivery.signal),
      ];
      delivery.abort('cancelled');
      expect(await cancelled).toBe(false);
      await vi.advanceTimersByTimeAsync(RESIDENT_MS);
      expect(await late).toBe(false);
      residents.stop();
      expect(await stopped).toBe(false);
      expect(residents.stopping).toBe(true);
      expect(await residents.hear('d', async () => true, RUNS)).toBe(false);
      residents.start();
      expect(await residents.hear('d', async () => true, RUNS)).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });

  it('takes no more than half of the slots: the plan after them is parked at once', async () => {
    const { onRecorded, tell, heard } = channel();
    const residents = createResidents({ onRecorded, slots: 4 });
    const [one, two] = [residents.hear('1', NOT_YET, RUNS), residents.hear('2', NOT_YET, RUNS)];
    expect(await residents.hear('3', async () => true, RUNS)).toBe(false);
    for (const task of ['1', '2']) {
      await heard(task);
      tell(task);
    }
    expect([await one, await two]).toEqual([true, true]);
    expect(await residents.hear('3', async () => true, RUNS)).toBe(true);
    expect(await createResidents({ onRecorded, slots: 1 }).hear('4', async () => true, RUNS)).toBe(true);
  });

  it('parks when Redis is away', async () => {
    const away = (): Promise<never> => Promise.reject(new WritError('REDIS_UNAVAILABLE', 'Redis does not answer'));
    expect(await createResidents({ onRecorded: away, slots: 4 }).hear('task', NOT_YET, RUNS)).toBe(false);
  });

  it('waits for a step that runs here as long, and not at all when the worker stops', async () => {
    vi.useFakeTimers();
    try {
      const residents = createResidents({ onRecorded: channel().onRecorded, slots: 4 });
      expect(await residents.within(Promise.resolve('end'))).toBe('end');
      const never = new Promise(() => undefined);
      const late = residents.within(never);
      await vi.advanceTimersByTimeAsync(RESIDENT_MS);
      expect(await late).toBeUndefined();
      const cut = residents.within(never);
      residents.stop();
      expect([await cut, await residents.within(never)]).toEqual([undefined, undefined]);
    } finally {
      vi.useRealTimers();
    }
  });
});
