export interface Looking<T> {
  /** What there is now; undefined: not yet. */
  look(): Promise<T | undefined>;
  /** Tells of changes; lossy. Answers how to leave. Absent: nothing tells, and it is looked often. */
  listen?(changed: () => void): Promise<() => Promise<void>>;
  readonly timeoutMs: number;
  /** What to say when the time is over. */
  failure(): string;
}

const AGAIN_MS = 500;
const OFTEN_MS = 20;
const DEAF = async () => async () => undefined;

/** Listens first, then looks, so that a change in between is not missed; looks again now and then, because signals are lossy. */
export function lookAgain<T>({ look, listen = DEAF, timeoutMs, failure }: Looking<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const tryLook = (): void =>
      void look().then(
        (found) => found !== undefined && end(() => resolve(found)),
        () => undefined,
      );
    const again = setInterval(tryLook, listen === DEAF ? OFTEN_MS : AGAIN_MS);
    const giveUp = setTimeout(() => end(() => reject(new Error(failure()))), timeoutMs);
    const listening = listen(tryLook);
    const end = (settle: () => void): void => {
      clearInterval(again);
      clearTimeout(giveUp);
      void listening.then((leave) => leave()).catch(() => undefined);
      settle();
    };
    void listening.then(tryLook, tryLook);
  });
}
