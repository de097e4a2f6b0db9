/** Enough for one request to everybody; more would only lie in memory. */
const ENOUGH_BYTES = 256 * 1024;

/**
 * The same bytes in larger pieces: what has arrived already is handed on together, nothing is waited for. A network brings
 * pieces of a few dozen lines, and a request to Redis and the crypto threads for each of them would cost half of the speed.
 */
export async function* gathered(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]();
  let next = iterator.next();
  try {
    for (;;) {
      const first = await next;
      if (first.done === true) return;
      const parts = [first.value];
      let size = first.value.length;
      next = iterator.next();
      // Told to whoever awaits it next.
      next.catch(() => undefined);
      while (size < ENOUGH_BYTES) {
        const more = await Promise.race([next, turn()]);
        if (more === undefined || more.done === true) break;
        parts.push(more.value);
        size += more.value.length;
        next = iterator.next();
        next.catch(() => undefined);
      }
      yield parts.length === 1 ? first.value : Buffer.concat(parts);
    }
  } finally {
    void iterator.return?.(undefined)?.catch(() => undefined);
  }
}

/** One turn of the event loop: what the sockets have is read in it. */
function turn(): Promise<undefined> {
  return new Promise((resolve) => {
    setImmediate(() => resolve(undefined));
  });
}
