/** Asks for the next value while the one before is worked on; what cannot be had is thrown where it would have stood. */
export async function* readAhead<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  const values = source[Symbol.asyncIterator]();
  const ask = (): Promise<IteratorResult<T, unknown>> => {
    const asked = values.next();
    // Whoever comes to it meets its failure; who stops before that does not care.
    asked.catch(() => undefined);
    return asked;
  };
  let coming = ask();
  try {
    for (let found = await coming; found.done !== true; found = await coming) {
      coming = ask();
      yield found.value;
    }
  } finally {
    await values.return?.();
  }
}
