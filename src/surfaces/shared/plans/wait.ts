import type { Plans, PlanView } from '../../../core/ports/index.ts';
import { hasEnded } from './view.ts';

/** How often a waiter looks by itself: messages about changes may be lost. */
const POLL_MS = 1_000;

export interface WaitOptions {
  /** Milliseconds; the last view is answered then. */
  readonly timeoutMs: number;
  /** Ends the wait early. */
  readonly signal: AbortSignal;
  /** Told of every view that is seen, the last one too. */
  readonly seen?: (view: PlanView) => void;
  /** Whether this end is an older one than the one that is waited for: a plan that was retried shows its last end until it runs. */
  readonly isStale?: (view: PlanView) => boolean;
}

/** Waits until the plan has ended; answers how it stands then, or at the end of the time. `undefined`: there is no such plan. */
export async function waitForPlan(
  id: string,
  plans: Pick<Plans, 'view' | 'onChange'>,
  { timeoutMs, signal, seen, isStale = () => false }: WaitOptions,
): Promise<PlanView | undefined> {
  const look = async (): Promise<PlanView | undefined> => {
    const view = await plans.view(id);
    if (view !== undefined) seen?.(view);
    return view;
  };
  const isLast = (view: PlanView | undefined): boolean => view === undefined || (hasEnded(view) && !isStale(view));
  const first = await look();
  if (isLast(first) || signal.aborted || timeoutMs <= 0) return first;
  const deadline = performance.now() + timeoutMs;
  const news = createNews(signal);
  const stop = await plans.onChange(id, news.tell);
  try {
    for (;;) {
      const view = await look();
      const left = deadline - performance.now();
      if (isLast(view) || signal.aborted || left <= 0) return view;
      await news.next(Math.min(left, POLL_MS));
    }
  } finally {
    await stop();
  }
}

/** News that come between two waits are not lost. */
function createNews(signal: AbortSignal): { tell(): void; next(ms: number): Promise<void> } {
  let told = false;
  let wake = (): void => undefined;
  return {
    tell() {
      told = true;
      wake();
    },
    async next(ms) {
      if (!told && !signal.aborted) {
        await new Promise<void>((resolve) => {
          const done = (): void => {
            clearTimeout(timer);
            signal.removeEventListener('abort', done);
            resolve();
          };
          const timer = setTimeout(done, ms);
          signal.addEventListener('abort', done, { once: true });
          wake = done;
        });
      }
      told = false;
    },
  };
}
