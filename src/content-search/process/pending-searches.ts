import { CONTENT_TIMEOUT_MAX_MS } from '../../contracts/index.ts';
import type { ContentSearchOutcome } from '../../core/ports/index.ts';
import type { RunningProcess } from './start.ts';

/** A search ends itself at its time limit; one that is silent for so much longer never will, even on a host that has much to do. */
const GRACE_MS = 30_000;

interface PendingSearch {
  readonly running: RunningProcess;
  readonly settle: (outcome: ContentSearchOutcome) => void;
  readonly watchdog: NodeJS.Timeout;
}

/** The searches that have no answer yet, by number. */
export interface PendingSearches {
  ask(running: RunningProcess, request: unknown, signal: AbortSignal): Promise<ContentSearchOutcome>;
  /** Hears the answers of a new process. */
  adopt(running: RunningProcess): void;
  /** Resolves when no search of this process is in hand. */
  whenIdle(running: RunningProcess): Promise<void>;
  /** The process has ended: answers all its searches. Whether it had been given up before. */
  abandon(running: RunningProcess): boolean;
}

export interface PendingSearchesOptions {
  readonly defaultTimeoutMs: number;
  /** Told once of a process in which a search hangs. */
  readonly onHung: (running: RunningProcess) => void;
}

export function createPendingSearches({ defaultTimeoutMs, onHung }: PendingSearchesOptions): PendingSearches {
  const pending = new Map<number, PendingSearch>();
  const hung = new WeakSet<RunningProcess>();
  const gone = new WeakSet<RunningProcess>();
  const idle = new Map<RunningProcess, () => void>();
  let last = 0;

  const isBusy = (running: RunningProcess): boolean => [...pending.values()].some((one) => one.running === running);

  const settle = (id: number, outcome: ContentSearchOutcome): void => {
    const one = pending.get(id);
    if (one === undefined) return;
    pending.delete(id);
    clearTimeout(one.watchdog);
    one.settle(outcome);
    if (idle.size > 0 && !isBusy(one.running)) idle.get(one.running)?.();
  };

  return {
    async ask(running, request, signal) {
      // It may have ended while its searcher waited for a turn; then nobody would answer any more.
      if (gone.has(running)) return LOST;
      last += 1;
      const id = last;
      return new Promise((resolve) => {
        const abort = (): void => {
          running.send({ type: 'abort', id });
          // Its caller is answered now; the search itself stays in hand until it has really ended.
          resolve(STOPPED);
        };
        const watchdog = setTimeout(() => {
          if (hung.has(running)) return;
          hung.add(running);
          onHung(running);
        }, timeoutOf(request, defaultTimeoutMs) + GRACE_MS);
        signal.addEventListener('abort', abort, { once: true });
        const done = (outcome: ContentSearchOutcome): void => {
          signal.removeEventListener('abort', abort);
          resolve(outcome);
        };
        pending.set(id, { running, settle: done, watchdog });
        running.send({ type: 'search', id, request });
      });
    },
    adopt: (running) => running.onOutcome(({ id, outcome }) => settle(id, outcome)),
    async whenIdle(running) {
      if (isBusy(running)) await new Promise<void>((resolve) => idle.set(running, resolve));
      idle.delete(running);
    },
    abandon(running) {
      gone.add(running);
      for (const [id, one] of pending) if (one.running === running) settle(id, LOST);
      return hung.has(running);
    },
  };
}

const STOPPED = failed('the search was stopped');
const LOST = failed('the process of the search ended unexpectedly');

function failed(message: string): ContentSearchOutcome {
  return { ok: false, error: { code: 'ExecutionFailed', field: undefined, message } };
}

/** Nobody has judged the request yet: what is no time limit is none. */
function timeoutOf(request: unknown, otherwise: number): number {
  const given = typeof request === 'object' && request !== null && 'timeout_ms' in request ? request.timeout_ms : undefined;
  return typeof given === 'number' && given >= 1 && given <= CONTENT_TIMEOUT_MAX_MS ? given : otherwise;
}
