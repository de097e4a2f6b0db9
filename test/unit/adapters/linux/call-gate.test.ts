import { describe, expect, it } from 'vitest';
import { createGate } from '../../../../src/adapters/linux/call-gate.ts';

describe('the gate of pooled calls', () => {
  it('lets as many in as it has places and the others in order', () => {
    const gate = createGate(2);
    const started: number[] = [];
    for (let i = 0; i < 6; i++) gate.enter(() => started.push(i));
    expect(started).toEqual([0, 1]);
    gate.leave();
    gate.leave();
    expect(started).toEqual([0, 1, 2, 3]);
    gate.enter(() => started.push(6));
    for (let i = 0; i < 4; i++) gate.leave();
    expect(started).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it('has all its places again when everybody left', () => {
    const gate = createGate(1);
    let started = 0;
    for (let round = 1; round <= 3; round++) {
      gate.enter(() => (started += 1));
      expect(started).toBe(round);
      gate.leave();
    }
  });
});
