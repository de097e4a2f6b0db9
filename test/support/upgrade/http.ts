import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DATA } from './ground.ts';

const LOOK_MS = 50;

export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The HTTP API as a program of any version has it; answers are not judged. */
export interface Api {
  send(method: 'GET' | 'POST', route: string, body?: object, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** A task or a plan when it has ended. */
  end(route: string): Promise<Answer['body']>;
}

export function apiAt(url: string, key: string): Api {
  const send: Api['send'] = async (method, route, body, headers = {}) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    const answer = await fetch(new URL(route, url), { method, ...sent, headers: { authorization: `Bearer ${key}`, ...sent.headers, ...headers } });
    const text = await answer.text();
    return { status: answer.status, body: text.startsWith('{') ? (JSON.parse(text) as Answer['body']) : { text } };
  };
  return {
    send,
    async end(route) {
      for (;;) {
        const { status, body } = await send('GET', route, undefined, { prefer: 'wait=20' });
        if (status === 200 && (body['state'] === 'success' || body['state'] === 'failure')) return body;
        await delay(LOOK_MS);
      }
    },
  };
}

/** Of an installation that runs. */
export function runningApi(): Api {
  const read = (name: string): string => readFileSync(path.join(DATA, name), 'utf8').trim();
  return apiAt(read('api.url'), read('keys/operator.key'));
}
