import { describe, expect, it } from 'vitest';
import { WritError } from '../../../../src/core/errors.ts';
import type { OperatorAction } from '../../../../src/core/ports/index.ts';
import { shownQueue, switchQueue, whyNothingCame } from '../../../../src/surfaces/shared/queues.ts';

const FIGURES = { queue: 'file', waiting: 1, active: 2, delayed: 3, completed: 4, failed: 5, paused: true, workers: 1 } as const;

describe('a queue as it is shown', () => {
  it('has the age of its oldest job only while one waits', () => {
    expect(shownQueue({ ...FIGURES, oldestWaitingMs: 7 })).toEqual({ ...FIGURES, oldest_waiting_ms: 7 });
    expect(shownQueue({ ...FIGURES, oldestWaitingMs: undefined })).toEqual(FIGURES);
  });
});

describe('a switch of a queue', () => {
  const services = (set: () => Promise<{ queue: string; paused: boolean; changed: boolean }>) => {
    const entries: OperatorAction[] = [];
    const audit = { append: async (entry: OperatorAction) => entries.splice(entries.length, 0, entry) as never };
    return { entries, services: { audit, queues: { list: async () => [], paused: async () => [], pausedAround: async () => undefined, set } } };
  };

  it('stands between two records of the audit log, with what it changed', async () => {
    const { entries, services: given } = services(async () => ({ queue: 'file', paused: true, changed: false }));
    expect(await switchQueue('file', 'pause', { surface: 'cli', who: 'me' }, given)).toEqual({ queue: 'file', paused: true, changed: false });
    expect(entries).toMatchObject([
      { action: 'queue.pause', subject: 'file', outcome: 'asked', who: 'me', surface: 'cli' },
      { action: 'queue.pause', subject: 'file', outcome: 'done', detail: { changed: false } },
    ]);
  });

  it('that fails is recorded as refused with its code', async () => {
    const { entries, services: given } = services(() => Promise.reject(new WritError('NOT_FOUND', 'no such queue')));
    await expect(switchQueue('fiel', 'resume', { surface: 'http', who: 'me' }, given)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(entries.map(({ outcome }) => outcome)).toEqual(['asked', 'refused']);
  });
});

describe('why nothing came', () => {
  const why = (paused: () => Promise<readonly string[]>) => whyNothingCame(async () => ({ paused }));

  it.each([
    [[], 'is a worker running? `writ status` shows it'],
    [['file'], 'the queue file is paused; `writ queue resume file` lets it go on'],
    [['file', 'plan'], 'the queues file, plan are paused; `writ queue resume <queue>` lets each go on'],
  ])('with %j paused', async (paused, sentence) => {
    expect(await why(async () => paused)).toBe(sentence);
  });

  it('asks for the worker when the queues cannot be asked', async () => {
    expect(await why(() => Promise.reject(new Error('away')))).toContain('is a worker running?');
  });
});
