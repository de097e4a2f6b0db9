/** Limits of a request of a bulk push. */
export interface BatchLimits {
  readonly lines: number;
  readonly chars: number;
  /** Milliseconds of pause of the source after which the tasks so far are sent. */
  readonly lingerMs: number;
}

/**
 * Batches of texts of one line each. The source is not read while a batch is being sent, so a slow server slows the source.
 * Leaving the loop early ends the source.
 */
export async function* batchesOf(lines: AsyncIterable<string>, { lines: most, chars, lingerMs }: BatchLimits): AsyncGenerator<readonly string[]> {
  const source = lines[Symbol.asyncIterator]();
  let next: Promise<IteratorResult<string>> | undefined;
  let batch: string[] = [];
  let size = 0;
  const taken = (): readonly string[] => {
    const whole = batch;
    batch = [];
    size = 0;
    return whole;
  };
  let over = false;
  try {
    for (;;) {
      next ??= source.next();
      const step = batch.length === 0 ? await next : await within(next, lingerMs);
      if (step === undefined) {
        yield taken();
        continue;
      }
      next = undefined;
      if (step.done === true) {
        over = true;
        break;
      }
      batch.push(step.value);
      size += step.value.length;
      if (batch.length >= most || size >= chars) yield taken();
    }
    if (batch.length > 0) yield taken();
  } catch (error) {
    over = true;
    throw error;
  } finally {
    if (!over) await source.return?.();
  }
}

/** The value of a promise; `undefined` when it takes longer. The promise stays usable. */
async function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
