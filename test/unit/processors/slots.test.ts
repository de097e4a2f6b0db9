import { describe, expect, it } from 'vitest';
import { createSlots } from '../../../processors/slots.ts';

describe('the slots of a queue', () => {
  it('are for jobs at any time, and for steps only while the queue is served', () => {
    const slots = createSlots(3);
    expect(slots.tryTake()).toBe(false);
    slots.open();
    expect(slots.tryTake()).toBe(true);
    slots.close();
    expect(slots.tryTake()).toBe(false);
    expect(slots.take()).toBeUndefined();
  });

  it('leave one to the jobs, whatever steps take, and tell how many steps hold', () => {
    const held: number[] = [];
    for (const count of [1, 2, 4]) {
      const slots = createSlots(count);
      slots.open((steps) => held.push(steps));
      for (let step = 1; step < count; step += 1) expect(slots.tryTake()).toBe(true);
      expect(slots.tryTake()).toBe(false);
      expect(slots.take()).toBeUndefined();
      slots.give();
      for (let step = 1; step < count; step += 1) slots.giveBack();
    }
    expect(held).toEqual([1, 0, 1, 2, 3, 2, 1, 0]);
  });

  it('are never more than they are, and go to the jobs that wait, in their order, before any step', async () => {
    const slots = createSlots(2);
    slots.open();
    expect(slots.tryTake()).toBe(true);
    expect(slots.take()).toBeUndefined();
    const order: string[] = [];
    const [first, second] = ['first', 'second'].map((name) => slots.take()?.then(() => void order.push(name)));
    slots.giveBack();
    expect(slots.tryTake()).toBe(false);
    await first;
    expect(order).toEqual(['first']);
    slots.give();
    await second;
    expect(slots.tryTake()).toBe(false);
    slots.give();
    expect(slots.tryTake()).toBe(false);
    slots.give();
    expect(slots.tryTake()).toBe(true);
  });
});
