/**
 * Runs `body` with a signal that fires when `signal` does, or after so many milliseconds. A composite signal holds its
 * sources weakly: under Node 20 an `AbortSignal.timeout` that nobody but an `AbortSignal.any` knows is collected as garbage,
 * and its time never comes (D385). Here the timer holds its source.
 */
export async function withTimeLimit<T>(ms: number, signal: AbortSignal, body: (limited: AbortSignal) => Promise<T>): Promise<T> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new DOMException(`not done within ${ms} ms`, 'TimeoutError')), ms);
  try {
    return await body(AbortSignal.any([signal, limit.signal]));
  } finally {
    clearTimeout(timer);
  }
}
