import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGroupCommit } from '../../../../../src/adapters/sqlite/journal/journal-group-commit.ts';

function rig(max = 256) {
  const sent: (readonly number[])[] = [];
  const commits = createGroupCommit<number>({ max, send: (batch) => sent.push(batch) });
  /** Answers the batch on its way with the double of each request. */
  const answer = (): void => commits.settle((sent.at(-1) ?? []).map((request) => ({ answer: request * 2 })));
  return { sent, commits, answer };
}

describe('group commit', () => {
  it('sends a lone request with the current turn of the loop, without a timer', async () => {
    const { sent, commits, answer } = rig();
    const asked = commits.ask(1);
    await turn();
    expect(sent).toEqual([[1]]);
    answer();
    expect(await asked).toBe(2);
  });

  it('gathers what is asked meanwhile into the next batch', async () => {
    const { sent, commits, answer } = rig();
    const first = [commits.ask(1), commits.ask(2)];
    await turn();
    const second = [commits.ask(3), commits.ask(4), commits.ask(5)];
    await turn();
    expect(sent).toEqual([[1, 2]]);
    answer();
    expect(await Promise.all(first)).toEqual([2, 4]);
    await turn();
    expect(sent).toEqual([
      [1, 2],
      [3, 4, 5],
    ]);
    answer();
    expect(await Promise.all(second)).toEqual([6, 8, 10]);
  });

  it('lets the callers of one batch share the next one', async () => {
    const { sent, commits, answer } = rig();
    const again = async (request: number): Promise<unknown> => {
      await commits.ask(request);
      return commits.ask(request + 10);
    };
    const all = [again(1), again(2), again(3)];
    await turn();
    answer();
    await turn();
    await turn();
    expect(sent[1]).toEqual([11, 12, 13]);
    answer();
    await Promise.all(all);
  });

  it('never has two batches on their way, none above the maximum, and keeps the order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 12 }), fc.integer({ min: 1, max: 5 }), async (bursts, max) => {
        const { sent, commits, answer } = rig(max);
        const asked: Promise<unknown>[] = [];
        let next = 0;
        let answered = 0;
        for (const burst of bursts) {
          for (let i = 0; i < burst; i += 1) asked.push(commits.ask(next++));
          await turn();
          expect(sent.length - answered).toBeLessThanOrEqual(1);
          answer();
          answered = sent.length;
        }
        const idle = commits.idle();
        while (sent.flat().length < next) {
          await turn();
          answer();
        }
        await idle;
        expect(sent.flat()).toEqual(Array.from({ length: next }, (_, i) => i));
        expect(Math.max(0, ...sent.map((batch) => batch.length))).toBeLessThanOrEqual(max);
        expect(await Promise.all(asked)).toEqual(Array.from({ length: next }, (_, i) => i * 2));
      }),
      { numRuns: 50 },
    );
  });

  it('settles each request by its own answer', async () => {
    const { commits } = rig();
    const asked = [commits.ask(1), commits.ask(2), commits.ask(3)];
    await turn();
    commits.settle([{ answer: 'one' }, { error: new Error('two') }]);
    const settled = await Promise.allSettled(asked);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  });

  it('fails everything when the other side is gone', async () => {
    const { commits } = rig(1);
    const asked = [commits.ask(1), commits.ask(2)];
    await turn();
    const idle = commits.idle();
    commits.fail(new Error('gone'));
    expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await idle;
  });
});
