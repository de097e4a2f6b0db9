import { stopReason } from '../../core/stopped.ts';

/** One run's signal: whatever stops the run, and its own wall-clock limit, with a `StopReason` as its reason. */
export interface TimeLimit extends Disposable {
  readonly signal: AbortSignal;
  /** From now on a cancel no longer stops the run: what was sent cannot be taken back, so its answer is worth waiting for. */
  ignoreCancel(): void;
}

export function timeLimit(outer: AbortSignal, ms: number): TimeLimit {
  const controller = new AbortController();
  let deaf = false;

  const forward = (): void => {
    const reason = stopReason(outer);
    if (reason === undefined || (deaf && reason === 'cancelled')) return;
    controller.abort(reason);
  };
  forward();
  outer.addEventListener('abort', forward);
  const timer = setTimeout(() => controller.abort('timeout'), ms);

  return {
    signal: controller.signal,
    ignoreCancel() {
      deaf = true;
    },
    [Symbol.dispose]() {
      clearTimeout(timer);
      outer.removeEventListener('abort', forward);
    },
  };
}
