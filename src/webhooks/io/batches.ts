/** What comes one by one, together what came together: at most so many, and never waiting for more. */
export async function* batchesOf<T>(items: AsyncIterable<T>, most: number): AsyncGenerator<readonly T[], void, undefined> {
  const steps = items[Symbol.asyncIterator]();
  const next = (): ReturnType<typeof steps.next> => {
    const one = steps.next();
    // Awaited later, or never when the look has ended before.
    one.catch(() => undefined);
    return one;
  };
  let step = next();
  for (;;) {
    const batch = [await step];
    step = next();
    while (batch.length < most && !batch.at(-1)?.done) {
      const more = await Promise.race([step, nothingMore()]);
      if (more === undefined) break;
      batch.push(more);
      if (!more.done) step = next();
    }
    yield batch.flatMap((one) => (one.done === true ? [] : [one.value]));
    if (batch.at(-1)?.done === true) return;
  }
}

/** Everything that is ready has been answered before. */
function nothingMore(): Promise<undefined> {
  return new Promise((resolve) => setImmediate(() => resolve(undefined)));
}
