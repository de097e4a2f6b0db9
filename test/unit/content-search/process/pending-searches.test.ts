import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FromProcess, ToProcess } from '../../../../src/content-search/process/messages.ts';
import { createPendingSearches, type PendingSearches } from '../../../../src/content-search/process/pending-searches.ts';
import type { RunningProcess } from '../../../../src/content-search/process/start.ts';
import type { ContentSearchOutcome } from '../../../../src/core/ports/index.ts';

const bad = (message: string): ContentSearchOutcome => ({ ok: false, error: { code: 'BadArgs', field: undefined, message } });
const failed = (message: string) => ({ ok: false, error: { code: 'ExecutionFailed', message } });
const never = () => new AbortController().signal;

interface Twin extends RunningProcess {
  readonly sent: ToProcess[];
  answer(id: number, outcome: ContentSearchOutcome): void;
}

/** A process that does nothing by itself. */
function twin(): Twin {
  const sent: ToProcess[] = [];
  const listeners: ((message: Extract<FromProcess, { type: 'outcome' }>) => void)[] = [];
  return {
    pid: 1,
    facts: { landlock: 0 },
    ended: new Promise(() => undefined),
    send: (message) => void sent.push(message),
    onOutcome: (listener) => void listeners.push(listener),
    kill: () => undefined,
    sent,
    answer: (id, outcome) => listeners.forEach((listener) => void listener({ type: 'outcome', id, outcome })),
  };
}

let hung: RunningProcess[];
let inHand: PendingSearches;
let running: Twin;
beforeEach(() => {
  vi.useFakeTimers();
  hung = [];
  inHand = createPendingSearches({ defaultTimeoutMs: 1000, onHung: (one) => hung.push(one) });
  running = twin();
  inHand.adopt(running);
});
afterEach(() => vi.useRealTimers());

describe('the searches in hand', () => {
  it('get the answers that bear their numbers, in any order', async () => {
    const answers = ['a', 'b'].map((pattern) => inHand.ask(running, { pattern }, never()));
    expect(running.sent).toEqual([
      { type: 'search', id: 1, request: { pattern: 'a' } },
      { type: 'search', id: 2, request: { pattern: 'b' } },
    ]);
    running.answer(2, bad('second'));
    running.answer(7, bad('nobody asked'));
    running.answer(1, bad('first'));
    expect(await Promise.all(answers)).toEqual([bad('first'), bad('second')]);
  });

  it('are answered at once when nobody waits any more; the process is told', async () => {
    const stop = new AbortController();
    const answer = inHand.ask(running, {}, stop.signal);
    stop.abort();
    expect(await answer).toMatchObject(failed('the search was stopped'));
    expect(running.sent.at(-1)).toEqual({ type: 'abort', id: 1 });
    running.answer(1, bad('late'));
  });

  it('are answered when their process has ended, those of another process are not', async () => {
    const other = twin();
    inHand.adopt(other);
    const [lost, kept] = [inHand.ask(running, {}, never()), inHand.ask(other, {}, never())];
    expect(inHand.abandon(running)).toBe(false);
    expect(await lost).toMatchObject(failed('the process of the search ended unexpectedly'));
    other.answer(2, bad('kept'));
    expect(await kept).toEqual(bad('kept'));
  });

  it('are answered too when their process ended before they were asked', async () => {
    inHand.abandon(running);
    expect(await inHand.ask(running, {}, never())).toMatchObject(failed('the process of the search ended unexpectedly'));
    expect(running.sent).toEqual([]);
  });

  it.each([
    [{ timeout_ms: 5000 }, 5000],
    [{}, 1000],
    [{ timeout_ms: '5000' }, 1000],
    [{ timeout_ms: -1 }, 1000],
    [{ timeout_ms: 1e9 }, 1000],
    [null, 1000],
  ])('hang when %o is silent for half a minute after its time: the process is told of once', async (request, timeoutMs) => {
    const answers = [inHand.ask(running, request, never()), inHand.ask(running, request, never())];
    await vi.advanceTimersByTimeAsync(timeoutMs + 29_999);
    expect(hung).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(hung).toEqual([running]);
    expect(inHand.abandon(running)).toBe(true);
    expect(await Promise.all(answers)).toMatchObject([
      failed('the process of the search ended unexpectedly'),
      failed('the process of the search ended unexpectedly'),
    ]);
  });

  it('hang too when they were given up and go on all the same', async () => {
    const stop = new AbortController();
    const answer = inHand.ask(running, {}, stop.signal);
    stop.abort();
    await answer;
    await vi.advanceTimersByTimeAsync(31_000);
    expect(hung).toEqual([running]);
  });
});
