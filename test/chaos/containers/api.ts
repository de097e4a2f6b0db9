import { setTimeout as delay } from 'node:timers/promises';
import { patient } from '../../support/patience.ts';

/** What the API answered: its status and its body, parsed when it is JSON. */
export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The API as a producer sees it that does not give up: it asks again with the same words until there is an answer. */
export interface Api {
  send(method: string, path: string, body?: object): Promise<Answer>;
  /** Pushes a task and waits for its end, over restarts of whatever is in between. */
  finish(manifest: TaskBody): Promise<Answer>;
  /** As `finish`, for a plan. */
  finishPlan(envelope: object): Promise<Answer>;
}

export interface TaskBody {
  readonly task_id: string;
  readonly capability_id: string;
  readonly inputs: object;
  readonly constraints: object;
}

const ENDED = new Set(['success', 'failure', 'failed', 'cancelled']);
const END_WITHIN_MS = patient(420_000);

export function createApi(port: number, key: string): Api {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', prefer: 'wait=10' };
  const send: Api['send'] = async (method, path, body) => {
    const reply = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers,
      signal: AbortSignal.timeout(30_000),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    return { status: reply.status, body: text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : { text } };
  };
  const finish = async (path: string, body: object): Promise<Answer> => {
    let last = 'nothing was answered';
    for (const end = performance.now() + END_WITHIN_MS; performance.now() < end; await delay(200)) {
      const answer = await send('POST', path, body).catch((error: unknown) => String(error));
      if (typeof answer === 'string') last = answer;
      else if (ENDED.has(String(answer.body['state']))) return answer;
      // Refused for good: another manifest has the name, or it is none.
      else if (answer.status >= 400 && answer.status < 429) throw new Error(`${path}: ${JSON.stringify(answer)}`);
      else last = JSON.stringify(answer);
    }
    throw new Error(`${path} has no end: ${last}`);
  };
  return {
    send,
    finish: (manifest) => finish('/v1/tasks?sign=true', { manifest }),
    finishPlan: (envelope) => finish('/v1/plans?sign=true', { v: 1, envelope }),
  };
}
