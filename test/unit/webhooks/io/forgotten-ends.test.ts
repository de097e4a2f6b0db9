import { describe, expect, it } from 'vitest';
import { forgottenEnds } from '../../../../src/webhooks/io/forgotten-ends.ts';

const end = (n: number) => ({ taskId: `task-${n}`, capabilityId: 'FILE_MOVE', at: 1_000 + n });

describe('ends of which Redis knows nothing any more', () => {
  it('are looked at again after pauses that grow, six times', () => {
    const ends = forgottenEnds();
    ends.looked([end(1)], [end(1)], 0);
    const looks: number[] = [];
    for (let now = 0; now < 10_000_000; now += 1_000) {
      if (ends.due(now).length === 0) continue;
      looks.push(now / 1_000);
      ends.looked([end(1)], [end(1)], now);
    }
    expect(looks).toEqual([5, 25, 105, 425, 1_705, 5_305]);
    expect(ends.since()).toBeUndefined();
  });

  it('are forgotten when they were found, and one that is forgotten later begins anew', () => {
    const ends = forgottenEnds();
    ends.looked([end(1), end(2)], [end(1), end(2)], 0);
    expect(ends.since()).toBe(1_001);
    ends.looked([end(1), end(2)], [], 5_000);
    expect([ends.due(1e9), ends.since()]).toEqual([[], undefined]);
    ends.looked([end(2)], [end(2)], 6_000);
    expect([ends.due(10_999), ends.due(11_000), ends.since()]).toEqual([[], [end(2)], 1_002]);
  });

  it('are looked at by those pauses only: a look before its time, made again each second while notes cannot be written, is none of the six', () => {
    const ends = forgottenEnds();
    for (let now = 0; now < 5_000; now += 1_000) {
      ends.looked([end(1)], [end(1)], now);
      // The write failed.
      ends.looked([end(1)], [end(1)], now);
    }
    expect([ends.due(4_999), ends.due(5_000), ends.since()]).toEqual([[], [end(1)], 1_001]);
    ends.looked([end(1)], [end(1)], 5_000);
    expect([ends.due(24_999), ends.due(25_000)]).toEqual([[], [end(1)]]);
  });

  it('have their bound: of too many the oldest go', () => {
    const ends = forgottenEnds();
    const many = Array.from({ length: 100_001 }, (_, n) => end(n));
    ends.looked(many, many, 0);
    const due = ends.due(5_000);
    expect([due.length, due[0]]).toEqual([100_000, end(1)]);
  });
});
