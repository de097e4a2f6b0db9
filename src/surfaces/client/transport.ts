import { piecesOf } from './body.ts';
import { type Ask, exchange } from './exchange.ts';
import type { Settings } from './options.ts';
import { pauseAfter, sleep } from './pause.ts';

export interface Answer<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

/** Requests with the key, within their time, and repeated where that is safe. */
export interface Transport {
  readonly settings: Settings;
  json<T>(ask: Ask): Promise<Answer<T>>;
  /** Sends a request and has `read` read the answer; an exception of `read` counts as a broken connection. */
  read<T>(ask: Ask, read: (chunks: AsyncIterable<Uint8Array>) => Promise<T>): Promise<T>;
}

export function createTransport(settings: Settings): Transport {
  /** @throws WritApiError, WritConnectionError (after the last try), or the reason of the signal */
  async function patiently<T>(ask: Ask, once: () => Promise<T>): Promise<T> {
    for (let failures = 0; ; failures += 1) {
      try {
        return await once();
      } catch (error) {
        ask.signal?.throwIfAborted();
        const pause = ask.repeatable && failures < settings.retries ? pauseAfter(error, failures, settings.random) : undefined;
        if (pause === undefined) throw error;
        await sleep(pause, ask.signal);
      }
    }
  }

  return {
    settings,
    json: <T>(ask: Ask) =>
      patiently(ask, () =>
        exchange(
          ask,
          settings,
          async (response): Promise<Answer<T>> => ({ status: response.status, headers: response.headers, body: (await response.json()) as T }),
        ),
      ),
    read: (ask, read) => patiently(ask, () => exchange(ask, settings, (response) => read(piecesOf(response)))),
  };
}
