/** Runs work of one key one at a time, in the order in which it came; different keys do not wait for each other. */
export type KeyedMutex = <T>(key: string, work: () => Promise<T>) => Promise<T>;

export function createKeyedMutex(): KeyedMutex {
  const ends = new Map<string, Promise<void>>();
  return async (key, work) => {
    const before = ends.get(key) ?? Promise.resolve();
    const run = before.then(work);
    // Whoever comes next waits for the end, whatever it is.
    const end = run.then(
      () => undefined,
      () => undefined,
    );
    ends.set(key, end);
    try {
      return await run;
    } finally {
      if (ends.get(key) === end) ends.delete(key);
    }
  };
}
