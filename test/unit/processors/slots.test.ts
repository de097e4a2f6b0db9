import { describe, expect, it } from 'vitest';
import { createSlots } from '../../../processors/slots.ts';

describe('the slots of a queue', () => {
  it('are for jobs at any time, and for steps only while the queue is served', () => {
    const slots = createSlots(2);
    expect(slots.tryTake()).toBe(false);
    slots.open();
    expect(slots.tryTake()).toBe(true);
    slots.close();
    expect(slots.tryTake()).toBe(false);
    expect(slots.take()).toBeUndefined();
  });

  it('are never more than they are, and go to the jobs that wait, in their order, before any step', async () => {
    const slots = createSlots(1);
    slots.open();
    expect(slots.tryTake()).toBe(true);
    const order: string[] = [];
    const [first, second] = ['first', 'second'].map((name) => slots.take()?.then(() => void order.push(name)));
    slots.give();
    expect(slots.tryTake()).toBe(false);
    await first;
    expect(order).toEqual(['first']);
    slots.give();
    await second;
    expect(slots.tryTake()).toBe(false);
    slots.give();
    expect(slots.tryTake()).toBe(true);
  });
});
