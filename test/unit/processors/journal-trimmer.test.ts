import { expect, it } from 'vitest';
import { createJournalTrimmer } from '../../../processors/journal-trimmer.ts';
import type { TrimAnswer } from '../../../src/core/ports/index.ts';
import { deferred } from '../../conformance/deferred.ts';

/** A trimmer whose journal answers in turn; `asked` resolves when it was asked so often. */
function trimmerOf(answers: readonly (TrimAnswer | Error)[], everyMs: number) {
  const asked: [after: number, before: number][] = [];
  const told: unknown[] = [];
  const all = deferred();
  const trimmer = createJournalTrimmer({
    journal: {
      async trim(after, before, limit) {
        expect(limit).toBeLessThanOrEqual(200);
        const answer = answers[asked.length] ?? { tasks: 0, last: undefined };
        asked.push([after, before]);
        if (asked.length >= answers.length) all.resolve();
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
    retentionMs: 1000,
    everyMs,
    clock: { now: () => 5000, monotonic: () => 0 },
    load: () => () => 0,
    onTrimmed: (tasks) => told.push(tasks),
    onError: (error) => told.push(error),
  });
  return { trimmer, asked, told, all: all.promise };
}

it('goes through a journal in portions, each from where the one before ended, and stops', async () => {
  const { trimmer, asked, told, all } = trimmerOf(
    [
      { tasks: 3, last: 200 },
      { tasks: 0, last: 400 },
      { tasks: 1, last: undefined },
    ],
    3_600_000,
  );
  await trimmer.start();
  await all;
  await trimmer.stop();
  expect(asked).toEqual([
    [0, 4000],
    [200, 4000],
    [400, 4000],
  ]);
  expect(told).toEqual([3, 1]);
});

it('gives up a pass that fails and begins the next one anew', async () => {
  const failure = new Error('locked');
  const { trimmer, asked, told, all } = trimmerOf([{ tasks: 1, last: 9 }, failure, { tasks: 2, last: undefined }], 1);
  await trimmer.start();
  await all;
  await trimmer.stop();
  expect(asked.slice(0, 3).map(([after]) => after)).toEqual([0, 9, 0]);
  expect(told.slice(0, 3)).toEqual([1, failure, 2]);
});

it('waits with a portion until the event loop has little to do', async () => {
  const loads = [1, 0.9, 0.51, 0.5];
  const looked: number[] = [];
  const asked = deferred<number>();
  const trimmer = createJournalTrimmer({
    journal: {
      async trim() {
        asked.resolve(looked.length);
        return { tasks: 0, last: undefined };
      },
    },
    retentionMs: 1000,
    everyMs: 3_600_000,
    clock: { now: () => 5000, monotonic: () => 0 },
    load: () => () => {
      const now = loads[looked.length] ?? 0;
      looked.push(now);
      return now;
    },
    onTrimmed: () => undefined,
    onError: () => undefined,
  });
  await trimmer.start();
  expect(await asked.promise).toBe(4);
  await trimmer.stop();
  expect(looked).toEqual(loads);
});
