import { describe, expect, it } from 'vitest';
import { createFairTurns, type Turn } from '../../../../src/messages/serving/fair-turns.ts';

/** Turns by a clock that stands still until it is moved; who got a turn is written down. */
function turnsOf(lanes: number) {
  const clock = { ms: 0 };
  const turns = createFairTurns({ lanes, most: 256, mostOfOne: 64, elapsed: () => clock.ms, budgetMs: 1000 });
  const order: string[] = [];
  const running: { readonly who: string; readonly turn: Turn }[] = [];
  const take = async (who: string, account: string | undefined = who[0], lane?: number): Promise<void> => {
    const turn = await turns.take(account, lane);
    order.push(who);
    running.push({ who, turn });
  };
  return {
    turns,
    clock,
    order,
    take: (who: string, account?: string, lane?: number) => void take(who, account, lane),
    /** Ends the oldest search after it has taken so long. */
    async end(tookMs = 1, who = running[0]?.who): Promise<void> {
      clock.ms += tookMs;
      const at = running.findIndex((one) => one.who === who);
      const [ended] = running.splice(at, 1);
      ended?.turn[Symbol.dispose]();
      await new Promise((resolve) => setImmediate(resolve));
    },
    begun: () => new Promise((resolve) => setImmediate(resolve)),
  };
}

describe('turns of searches', () => {
  it('go round the keys, however many searches one of them sends', async () => {
    const { take, end, order, begun } = turnsOf(1);
    for (let n = 0; n < 10; n += 1) take(`a${n}`);
    take('b0');
    take('c0');
    await begun();
    for (let n = 0; n < 4; n += 1) await end();
    expect(order).toEqual(['a0', 'b0', 'c0', 'a1', 'a2']);
  });

  it('leave a key that has used up its time one lane, and put it behind all others', async () => {
    const { take, end, order, begun } = turnsOf(2);
    take('a0');
    await begun();
    await end(2000);
    for (const who of ['a1', 'a2', 'b0', 'b1']) take(who);
    await begun();
    // The second lane stays free for others, although a2 waits.
    expect(order).toEqual(['a0', 'a1', 'b0']);
    await end(1, 'b0');
    expect(order.at(-1)).toBe('b1');
    await end(1, 'b1');
    expect(order.at(-1)).toBe('b1');
    await end(1, 'a1');
    expect(order.at(-1)).toBe('a2');
  });

  it('forgive with time, and never bound the person to whom the messages belong', async () => {
    const { take, end, clock, order, begun } = turnsOf(2);
    take('a0');
    await begun();
    await end(1500);
    clock.ms += 60_000;
    for (const who of ['a1', 'a2']) take(who);
    await begun();
    expect(order).toEqual(['a0', 'a1', 'a2']);
    const own = turnsOf(2);
    for (const who of ['x0', 'x1', 'x2', 'x3'])
      void own.turns.take(undefined).then((turn) => own.order.push(who) && setImmediate(() => turn[Symbol.dispose]()));
    for (let n = 0; n < 6; n += 1) await own.begun();
    expect(own.order).toEqual(['x0', 'x1', 'x2', 'x3']);
  });

  it('wait for the lane that they need while others pass', async () => {
    const { take, end, order, begun } = turnsOf(2);
    take('a0', 'a', 0);
    take('a1', 'a', 0);
    take('b0', 'b');
    await begun();
    expect(order).toEqual(['a0', 'b0']);
    await end(1, 'a0');
    expect(order).toEqual(['a0', 'b0', 'a1']);
  });

  it('are refused where too many wait, of all and of one key', async () => {
    const { turns, begun } = turnsOf(1);
    const asked = (account: string | undefined, times: number) => Array.from({ length: times }, () => Promise.resolve().then(() => turns.take(account)));
    const refused: string[] = [];
    for (const one of asked('a', 70)) one.catch(() => refused.push('a'));
    await begun();
    expect(refused).toHaveLength(5);
    for (const one of asked(undefined, 300)) one.catch(() => refused.push('all'));
    await begun();
    expect(refused).toHaveLength(5 + 300 - (256 - 65));
  });
});
