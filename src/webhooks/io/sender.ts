import type { Clock } from '../../core/clock.ts';
import { type Lifecycle, lifecycle } from '../../core/lifecycle.ts';
import { pause } from '../../core/pause.ts';
import type { PendingNotice, WebhookOutbox } from '../../core/ports/index.ts';
import { type AttemptEnd, afterAttempt, LONGEST_WAIT_MS } from '../notice/attempts.ts';

/** What became of an attempt, for figures and the log. */
export interface AttemptReport {
  readonly endpoint: string;
  readonly noticeId: string;
  readonly taskId: string;
  readonly end: 'delivered' | 'failed' | 'dead';
  readonly problem: string | undefined;
  readonly attempts: number;
}

export interface SenderDeps {
  readonly outbox: Pick<WebhookOutbox, 'due' | 'settle'>;
  readonly endpoint: string;
  /** One attempt; it ends by itself, or when the signal fires. Never throws. */
  readonly attempt: (notice: PendingNotice, signal: AbortSignal) => Promise<AttemptEnd>;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly report: (report: AttemptReport) => void;
  /** Told of troubles with the outbox; the sender tries again by itself. */
  readonly onTrouble: (error: unknown) => void;
}

export interface Sender extends Lifecycle {
  /** Looks at once whether something is due. */
  wake(): void;
}

/** Notices of one endpoint that are under way at the same time: a receiver that hangs holds these and nobody else's. */
const CONCURRENCY = 4;
/** So often the sender looks without being told: clocks may have been set. */
const LOOK_MS = 30_000;
const TROUBLE_MS = 1_000;

/**
 * Sends the notices of one endpoint. What it has not recorded as delivered is sent again after a crash, under the same id; of one task
 * one notice is under way, and the next goes when that one was delivered or has died.
 */
export function createSender({ outbox, endpoint, attempt, clock, random, report, onTrouble }: SenderDeps): Sender {
  const underWay = new Map<number, Promise<void>>();
  let stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();
  let wake = (): void => undefined;
  let isAwake = false;

  async function send(notice: PendingNotice, signal: AbortSignal): Promise<void> {
    const end = await attempt(notice, signal);
    // Cut off by our own stop: nothing is known, and nothing is held against the receiver.
    if (signal.aborted && end.kind === 'failed') return;
    const now = clock.now();
    const change = afterAttempt(notice, end, now, random());
    await outbox.settle(notice.seq, change, now);
    const problem = change.state === 'delivered' ? undefined : change.problem;
    const attempts = change.state === 'delivered' ? notice.attempts + 1 : change.attempts;
    report({ endpoint, noticeId: notice.id, taskId: notice.taskId, end: change.state === 'pending' ? 'failed' : change.state, problem, attempts });
  }

  /** Begins what is due as far as there is room; answers how long nothing will be, milliseconds. */
  async function begin(signal: AbortSignal): Promise<number> {
    const now = clock.now();
    const { notices, nextAt } = await outbox.due(endpoint, now, LONGEST_WAIT_MS, CONCURRENCY + underWay.size);
    for (const notice of notices) {
      if (underWay.has(notice.seq) || underWay.size >= CONCURRENCY || signal.aborted) continue;
      const sending = send(notice, signal)
        .catch(async (error: unknown) => {
          onTrouble(error);
          await pause(TROUBLE_MS, signal);
        })
        .finally(() => {
          underWay.delete(notice.seq);
          awake();
        });
      underWay.set(notice.seq, sending);
    }
    return nextAt === undefined ? LOOK_MS : Math.min(LOOK_MS, Math.max(1, nextAt - now));
  }

  async function run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      isAwake = false;
      const waitMs = await begin(signal).catch((error: unknown) => {
        onTrouble(error);
        return TROUBLE_MS;
      });
      if (!isAwake) await until(waitMs, signal);
    }
    await Promise.all(underWay.values());
  }

  function awake(): void {
    isAwake = true;
    wake();
  }

  async function until(ms: number, signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    wake = () => over.abort();
    await pause(ms, AbortSignal.any([signal, over.signal]));
    wake = () => undefined;
  }

  return {
    ...lifecycle(
      () => {
        stopping = new AbortController();
        running = run(stopping.signal);
      },
      async () => {
        stopping.abort();
        await running;
      },
    ),
    wake: awake,
  };
}
