import type { PostAnswer } from '../../../src/adapters/http-tool/post.ts';
import type { ReceiverAnswer, SimWebhooks } from '../scenario.ts';
import type { SimProcess } from '../scheduler.ts';
import type { World } from '../world.ts';

/** A request as the receiver had it. */
interface Received {
  readonly endpoint: string;
  readonly id: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** By the clock of whoever sent it, milliseconds since 1970. */
  readonly sentAt: number;
}

const SLOW_MS = 14_000;
const answered = (status: number, retryAfter?: string): PostAnswer => ({ kind: 'answered', status, retryAfter });
const unanswered = (problem: string): PostAnswer => ({ kind: 'unanswered', problem });

/** What it says after it has read a request, and whether it has kept the notice. */
const ANSWERS: { readonly [K in ReceiverAnswer]: PostAnswer | 'hang' | 'late' } = {
  ok: answered(204),
  error: answered(503, '40'),
  busy: answered(429, 'soon'),
  redirect: answered(302),
  hang: 'hang',
  late: 'late',
  cut: unanswered('the connection was closed before an answer'),
  gone: answered(410),
  lies: answered(500, '999999999999'),
};

/** Two receivers behind one server: what they have read, and what they have acknowledged. */
export class ReceiverTwin {
  readonly received: Received[] = [];
  /** Ids that were answered with 2xx. */
  readonly taken = new Set<string>();
  /** Ids that were answered with 410. */
  readonly gone = new Set<string>();
  readonly #world: World;
  readonly #script: ReceiverAnswer[];
  isDown: boolean;
  /** From then on it takes what it is sent. */
  isHonest = false;

  constructor(world: World, { answers, isDown }: SimWebhooks) {
    this.#world = world;
    this.#script = [...answers];
    this.isDown = isDown;
  }

  postFor(process: SimProcess, endpoint: string) {
    return (headers: Readonly<Record<string, string>>, body: string, signal: AbortSignal): Promise<PostAnswer> => {
      const sentAt = process.clock.now();
      const aborted = new Promise<PostAnswer>((resolve) => signal.addEventListener('abort', () => resolve(unanswered('no answer in time')), { once: true }));
      const asked = async (): Promise<PostAnswer> => {
        const says = await this.#world.call(process, {
          to: 'tool',
          what: `receiver.${endpoint} ${headers['webhook-id']?.slice(0, 14)}`,
          effect: () => this.#take({ endpoint, id: headers['webhook-id'] ?? '', body, headers, sentAt }),
          refuse: () => unanswered('the connection was closed before an answer'),
        });
        if (says === 'hang') return new Promise(() => undefined);
        if (says !== 'late') return says;
        await this.#world.wait(process, SLOW_MS * this.#world.random.number());
        return answered(200);
      };
      return Promise.race([asked(), aborted]);
    };
  }

  #take(request: Received): PostAnswer | 'hang' | 'late' {
    this.received.push(request);
    const says = this.isDown ? answered(503) : ANSWERS[this.isHonest ? 'ok' : (this.#script.shift() ?? 'ok')];
    if (typeof says === 'object' && says.kind === 'answered' && says.status === 410) this.gone.add(request.id);
    if (says === 'late' || (typeof says === 'object' && says.kind === 'answered' && says.status < 300)) this.taken.add(request.id);
    return says;
  }
}
