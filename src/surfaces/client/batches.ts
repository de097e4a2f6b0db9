/** How the tasks of a bulk push are gathered into requests. */
export interface BatchLimits {
  readonly lines: number;
  readonly chars: number;
  /** A source that pauses for so long gets what it has given sent. */
  readonly lingerMs: number;
}

/**
 * Gathers texts of one line each. Nothing is asked of the source while a batch is being worked on, so a slow server slows
 * the source. Ends the source when it is left early.
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

/** `undefined` when it takes longer; it is not lost then. */
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
