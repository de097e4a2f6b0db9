import { describe, expect, it } from 'vitest';
import { scenarioOf } from './draw.ts';
import { runHistory } from './history.ts';

/** Histories of webhooks that once broke a promise (docs/simulation.md, What was found): each mend is held by the one that asked for it. */
describe('a history of notices that once broke a promise keeps it', () => {
  it('an API whose clock is ahead of Redis, and which dies or loses its index before it has noted an end', async () => {
    for (const seed of [25_980, 32_765, 147_697]) {
      const { violations, reached } = await runHistory(scenarioOf(seed));
      expect(violations, `seed ${seed}`).toEqual([]);
      expect(reached.has('fault:clock'), `seed ${seed}`).toBe(true);
    }
  });

  it('a worker that was paused before it showed a plan, until another had ended it; and Redis emptied under more wishes than there is room for', async () => {
    for (const seed of [138_493, 122_445]) expect([seed, (await runHistory(scenarioOf(seed))).violations]).toEqual([seed, []]);
  });

  it('an API that dies before it has told an end, Redis emptied, and a worker that writes the end back when the API has looked', async () => {
    const { violations, reached } = await runHistory(scenarioOf(33_650));
    expect(violations).toEqual([]);
    expect(reached.has('notice:noted')).toBe(true);
  });

  it('a push that wishes to be told of a task whose id is taken by another manifest', async () => {
    expect((await runHistory(scenarioOf(617_927))).violations).toEqual([]);
  });

  it('an API that dies before it tells the end of a task that was pushed when it was done, and Redis emptied before the push is repeated', async () => {
    expect((await runHistory(scenarioOf(905_670))).violations).toEqual([]);
  });

  it('a notice that was over for a day by a clock that was set ahead, and is trimmed as the power goes', async () => {
    expect((await runHistory(scenarioOf(2_028_912))).violations).toEqual([]);
  });

  it('an end and the ends of duplicates behind it, heard in another order, and an API that dies meanwhile', async () => {
    expect((await runHistory(scenarioOf(3_205_431))).violations).toEqual([]);
  });

  it('a push that wishes to be told, as another manifest runs under its id', async () => {
    expect((await runHistory(scenarioOf(3_397_004))).violations).toEqual([]);
  });

  it('a plan that ended before webhooks began, and whose job ends when they serve', async () => {
    expect((await runHistory(scenarioOf(7_148_519))).violations).toEqual([]);
  });

  it('a push that is wished where two ends that nobody sees fill the outbox', async () => {
    expect((await runHistory(scenarioOf(7_957_232))).violations).toEqual([]);
  });

  it('an end that was forgotten with Redis before it was told, while the disk was full for two seconds', async () => {
    expect((await runHistory(scenarioOf(8_114_349))).violations).toEqual([]);
  });

  it('the end of a step that only the journal knows, told a second time when its row is back', async () => {
    expect((await runHistory(scenarioOf(8_260_551))).violations).toEqual([]);
  });
});
