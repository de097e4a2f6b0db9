import { describe, expect, it } from 'vitest';
import { createInFlight } from '../../../processors/in-flight.ts';

describe('deliveries in flight', () => {
  it('lets one delivery of a process work on a task at a time', () => {
    const inFlight = createInFlight();
    const first = inFlight.begin('a');
    const second = inFlight.begin('b');
    expect(inFlight.claimTask(first, 't')).toBe(true);
    expect(inFlight.claimTask(second, 't')).toBe(false);
    inFlight.end(second);
    expect(inFlight.claimTask(inFlight.begin('c'), 't')).toBe(false);
    inFlight.end(first);
    expect(inFlight.claimTask(inFlight.begin('d'), 't')).toBe(true);
  });

  it('tells whoever waits for it when the delivery that works on a task has ended, and at once when there is none', async () => {
    const inFlight = createInFlight();
    await inFlight.freed('t');
    const [working, beside] = [inFlight.begin('a'), inFlight.begin('b')];
    inFlight.claimTask(working, 't');
    inFlight.attend(beside, 't');
    let freed = false;
    const free = inFlight.freed('t').then(() => {
      freed = true;
    });
    inFlight.end(beside);
    await Promise.resolve();
    expect(freed).toBe(false);
    inFlight.end(working);
    await free;
    await inFlight.freed('t');
  });

  it('knows which task is worked on, and reaches with a cancel also who only attends to it', () => {
    const inFlight = createInFlight();
    const [one, two, three] = ['a', 'b', 'c'].map((jobId) => inFlight.begin(jobId));
    if (!one || !two || !three) throw new Error('three were begun');
    inFlight.attend(one, 't');
    inFlight.attend(two, 't');
    expect(inFlight.isClaimed('t')).toBe(false);
    expect(inFlight.claimTask(two, 't')).toBe(true);
    expect(inFlight.isClaimed('t')).toBe(true);
    inFlight.end(one);
    inFlight.attend(three, 't');
    inFlight.stop({ taskId: 't' }, 'cancelled');
    expect([one, two, three].map(({ controller }) => controller.signal.aborted)).toEqual([false, true, true]);
    inFlight.end(two);
    expect(inFlight.isClaimed('t')).toBe(false);
    expect(inFlight.claimTask(three, 't')).toBe(true);
  });

  it('stops by task, by job, or everything, with the reason', () => {
    const inFlight = createInFlight();
    const [one, two, three] = ['a', 'b', 'c'].map((jobId) => inFlight.begin(jobId));
    if (!one || !two || !three) throw new Error('three were begun');
    inFlight.claimTask(one, 't');
    inFlight.stop({ taskId: 't' }, 'cancelled');
    inFlight.stop({ jobIds: ['b'] }, 'lock-lost');
    expect([one, two, three].map(({ controller }) => controller.signal.reason as unknown)).toEqual(['cancelled', 'lock-lost', undefined]);
    inFlight.stop({}, 'shutdown');
    expect(three.controller.signal.reason).toBe('shutdown');
    expect(inFlight.size).toBe(3);
  });
});
