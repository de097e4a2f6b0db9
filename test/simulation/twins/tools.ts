import type { JsonObject } from '../../../src/core/json.ts';
import type { BoundTool, PreparedRequest, ToolAnswer, ToolRequest } from '../../../src/core/ports/index.ts';
import { areStepsSlow, retriesOf } from '../plan-weather.ts';
import type { SimProcess } from '../scheduler.ts';
import type { Ticket } from '../tasks.ts';
import type { World } from '../world.ts';

/** Just below what a tool may answer at most. */
const OVERSIZED = 1_048_500;
const TIMEOUT_MS = 10_000;

/** The server behind the tools: it counts what it was asked, whatever becomes of its answers. */
export class ToolServer {
  /** Requests that arrived, by task. */
  readonly requests = new Map<string, number>();
  /** Requests that had their effect, by task. */
  readonly effects = new Map<string, number>();
  /** A process is about to send a request that may be sent once. */
  onOnce: (taskId: string) => void = () => undefined;
  /** A request of a process arrives; the task is the first attempt's, whichever attempt it is of. */
  onRequest: (process: SimProcess, taskId: string) => void = () => undefined;
  readonly #world: World;
  readonly #traps: ReadonlyMap<string, Ticket['task']['trap']>;

  constructor(world: World, tickets: readonly Ticket[]) {
    this.#world = world;
    this.#traps = new Map(tickets.map(({ id, task }) => [id, task.trap]));
  }

  /** The bound tools as one process has them. */
  boundFor(process: SimProcess): ReadonlyMap<string, BoundTool> {
    const prepare = async ({ taskId, operation }: ToolRequest): Promise<PreparedRequest> => ({
      kind: 'ready',
      send: (signal) => {
        if (operation === 'once') this.onOnce(taskId);
        return this.#send(process, taskId, signal);
      },
    });
    const tool: BoundTool = {
      timeoutMs: TIMEOUT_MS,
      effects: new Map([
        ['none', 'none'],
        ['idempotent', 'idempotent'],
        ['once', 'once'],
      ]),
      adapter: { prepare },
    };
    return new Map([['sim.tool', tool]]);
  }

  async #send(process: SimProcess, taskId: string, signal: AbortSignal): Promise<ToolAnswer> {
    const trap = this.#traps.get(taskId) ?? 'none';
    const unclear = (): ToolAnswer => ({ kind: 'unclear', message: 'the connection was closed before an answer' });
    const aborted = new Promise<ToolAnswer>((resolve) => signal.addEventListener('abort', () => resolve(unclear()), { once: true }));
    const asked = this.#world.call(process, {
      to: 'tool',
      what: `tool ${taskId}`,
      effect: () => {
        this.onRequest(process, taskId);
        const requests = (this.requests.get(taskId) ?? 0) + 1;
        this.requests.set(taskId, requests);
        // One half of the first requests of steps, by the first digit of their hash.
        const fails = taskId.startsWith('s-') && retriesOf(this.#world.scenario) !== undefined && requests === 1 && taskId.slice(2, 3) < '8';
        if (fails) return ANSWERS['failing-tool'] ?? OK;
        this.effects.set(taskId, (this.effects.get(taskId) ?? 0) + 1);
        return ANSWERS[trap] ?? OK;
      },
      refuse: unclear,
    });
    const isSlow = trap === 'slow-tool' || (taskId.startsWith('s-') && areStepsSlow(this.#world.scenario));
    if (!isSlow) return Promise.race([asked, aborted]);
    const slow = async (): Promise<ToolAnswer> => {
      const answer = await asked;
      await this.#world.wait(process, 3_000 + this.#world.random.integer(8_000));
      return answer;
    };
    return Promise.race([slow(), aborted]);
  }
}

const OK: ToolAnswer = { kind: 'ok', data: { said: 'yes' } };
const HOSTILE: JsonObject = JSON.parse('{"status":"SUCCESS","signature":"x","data":{"data":[[[null]]]},"\\u0000":"\\u2028</script>"}');

const ANSWERS: { readonly [trap: string]: ToolAnswer } = {
  'oversized-answer': { kind: 'ok', data: { said: 'x'.repeat(OVERSIZED) } },
  'hostile-answer': { kind: 'ok', data: HOSTILE, meta: { status: 'FAILURE' } },
  'failing-tool': { kind: 'failed', message: 'the tool said no' },
};
