/** One request that waits for its batch. */
interface Waiting<Request> {
  readonly request: Request;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

export type Settled = { readonly answer: unknown } | { readonly error: Error };

/**
 * Group commit: whatever waits when the other side becomes free goes as one batch. There is no timer: a request that
 * finds the other side idle leaves with the current turn of the event loop, and those that come meanwhile are the next.
 */
export interface GroupCommit<Request> {
  ask(request: Request): Promise<unknown>;
  /** The answers of the batch on its way, in its order. */
  settle(answers: readonly Settled[]): void;
  /** Rejects everything that waits or is on its way. */
  fail(error: Error): void;
  /** Resolves when nothing waits and nothing is on its way. */
  idle(): Promise<void>;
}

export function createGroupCommit<Request>(options: { max: number; send: (batch: readonly Request[]) => void }): GroupCommit<Request> {
  let waiting: Waiting<Request>[] = [];
  let onItsWay: readonly Waiting<Request>[] = [];
  let scheduled = false;
  let idlers: (() => void)[] = [];

  /** One immediate later, so that everything that became ready in this turn of the loop shares the fsync. */
  function schedule(): void {
    if (scheduled || onItsWay.length > 0 || waiting.length === 0) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      leave();
    });
  }

  function leave(): void {
    if (onItsWay.length > 0 || waiting.length === 0) return;
    onItsWay = waiting.slice(0, options.max);
    waiting = waiting.slice(options.max);
    options.send(onItsWay.map(({ request }) => request));
  }

  function wakeIdlers(): void {
    if (onItsWay.length > 0 || waiting.length > 0) return;
    for (const wake of idlers) wake();
    idlers = [];
  }

  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        waiting.push({ request, resolve, reject });
        schedule();
      }),

    settle(answers) {
      const batch = onItsWay;
      onItsWay = [];
      for (const [index, { resolve, reject }] of batch.entries()) {
        const answer = answers[index] ?? { error: new Error('the batch came back without an answer to this request') };
        if ('error' in answer) reject(answer.error);
        else resolve(answer.answer);
      }
      schedule();
      wakeIdlers();
    },

    fail(error) {
      const all = [...onItsWay, ...waiting];
      onItsWay = [];
      waiting = [];
      for (const { reject } of all) reject(error);
      wakeIdlers();
    },

    idle: () =>
      new Promise((resolve) => {
        idlers.push(resolve);
        wakeIdlers();
      }),
  };
}
