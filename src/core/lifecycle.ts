/**
 * Every background part starts and stops the same way: `start` resolves when it works, `stop` when nothing of it
 * runs any more. Both tolerate being called twice, and `stop` before `start`.
 */
export interface Lifecycle extends AsyncDisposable {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** A part from two functions, with the rules of `Lifecycle`: once started until stopped, both may be called again. */
export function lifecycle(start: () => Promise<void> | void, stop: () => Promise<void> | void): Lifecycle {
  let running = false;
  const end = async (): Promise<void> => {
    if (!running) return;
    running = false;
    await stop();
  };
  return {
    async start() {
      if (running) return;
      running = true;
      await start();
    },
    stop: end,
    [Symbol.asyncDispose]: end,
  };
}

/**
 * Many parts as one: started in order, stopped in reverse. When one refuses to start, those before it are stopped and
 * its error is thrown; an error while stopping does not keep the others running. A stop during the start ends it: what has
 * begun is stopped, nothing more begins, and the start throws.
 */
export function sequential(parts: readonly Lifecycle[]): Lifecycle {
  let stops = 0;
  const stop = async (): Promise<void> => {
    stops += 1;
    const errors: unknown[] = [];
    for (const one of [...parts].reverse()) await one.stop().catch((error: unknown) => errors.push(error));
    if (errors.length > 0) throw errors[0];
  };
  return {
    async start() {
      const before = stops;
      for (const one of parts) {
        try {
          await one.start();
          if (stops !== before) throw stoppedMeanwhile();
        } catch (error) {
          await stop().catch(() => undefined);
          throw error;
        }
      }
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/**
 * Many parts as one, started and stopped at the same time: none depends on another, and each may take long to stop. When
 * one refuses to start, all are stopped and its error is thrown; a stop during the start ends it likewise.
 */
export function parallel(parts: readonly Lifecycle[]): Lifecycle {
  return startedAtOnce(parts, async () => firstFailure(await Promise.allSettled(parts.map((one) => one.stop()))));
}

/** As `parallel`, but stopped in reverse, one after the other: until it has ended, a part may need those before it. */
export function together(parts: readonly Lifecycle[]): Lifecycle {
  return startedAtOnce(parts, sequential(parts).stop);
}

function startedAtOnce(parts: readonly Lifecycle[], stopAll: () => Promise<void>): Lifecycle {
  let stops = 0;
  const stop = async (): Promise<void> => {
    stops += 1;
    await stopAll();
  };
  return {
    async start() {
      const before = stops;
      try {
        firstFailure(await Promise.allSettled(parts.map((one) => one.start())));
        if (stops !== before) throw stoppedMeanwhile();
      } catch (error) {
        await stop().catch(() => undefined);
        throw error;
      }
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function stoppedMeanwhile(): Error {
  return new Error('it was stopped while it started');
}

function firstFailure(ends: readonly PromiseSettledResult<void>[]): void {
  const failure = ends.find((end) => end.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
}
