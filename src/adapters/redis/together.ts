/** One call and who waits for its answer. */
interface Waiting<Request, Answer> {
  readonly request: Request;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

export interface TogetherOptions<Request> {
  /** Requests of one call at most. */
  readonly max: number;
  /** What a request weighs, and what those of one call may weigh together. One that is heavier goes alone. */
  readonly weight: (request: Request) => number;
  readonly maxWeight: number;
  /** Whether an error may be the fault of one request: then each is sent again alone, so that it is nobody else's. Requests must bear that. */
  readonly mayBeOnes: (error: unknown) => boolean;
  /** When a call leaves: at the end of what runs now, unless given. */
  readonly whenDone?: (leave: () => void) => void;
}

/**
 * Makes one call of all that is asked for in one turn: running jobs resume together when a reply comes, so their next calls
 * come together. They leave before the turn ends; nothing waits for a timer. What a call throws, each of its requests hears.
 *
 * @param send answers in the order of its requests
 */
export function callTogether<Request, Answer>(
  { max, weight, maxWeight, mayBeOnes, whenDone = process.nextTick }: TogetherOptions<Request>,
  send: (requests: readonly Request[]) => Promise<readonly Answer[]>,
): (request: Request) => Promise<Answer> {
  let waiting: Waiting<Request, Answer>[] = [];
  let heavy = 0;

  function leave(): void {
    const group = waiting;
    waiting = [];
    heavy = 0;
    if (group.length > 0) void settle(group);
  }

  async function settle(group: readonly Waiting<Request, Answer>[]): Promise<void> {
    try {
      const answers = await send(group.map(({ request }) => request));
      for (const [index, { resolve, reject }] of group.entries()) {
        const answer = answers[index];
        if (answer === undefined) reject(new Error('a call of several requests left one without an answer'));
        else resolve(answer);
      }
    } catch (error) {
      if (group.length > 1 && mayBeOnes(error)) for (const one of group) void settle([one]);
      else for (const { reject } of group) reject(error);
    }
  }

  return (request) =>
    new Promise((resolve, reject) => {
      const own = weight(request);
      if (waiting.length === max || heavy + own > maxWeight) leave();
      if (waiting.length === 0) whenDone(leave);
      waiting.push({ request, resolve, reject });
      heavy += own;
    });
}
