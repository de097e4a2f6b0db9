/** The same pieces, until the signal: also a read that waits for a silent writer ends then. */
export async function* untilAborted<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  let stop = (): void => {};
  const aborted = new Promise<{ done: true; value: undefined }>((resolve) => {
    stop = () => resolve({ done: true, value: undefined });
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), aborted]);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', stop);
    // Not awaited: a generator that waits inside of a read would never answer.
    void iterator.return?.(undefined)?.catch(() => undefined);
  }
}
