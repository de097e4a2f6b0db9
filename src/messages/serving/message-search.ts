import path from 'node:path';
import { packageVersion } from '../../../config/package.ts';
import { systemClock } from '../../core/clock.ts';
import { messageOf } from '../../core/errors.ts';
import type { Lifecycle } from '../../core/lifecycle.ts';
import { sequential } from '../../core/lifecycle.ts';
import type { SearchError } from '../../core/ports/message-engine.ts';
import type { MessageQuestion, MessageQuestions, MessageSearch } from '../../core/ports/message-search.ts';
import { errorResponse } from '../search/error-response.ts';
import { createSearchLanes } from './search-lanes.ts';
import { type MessageSearchOptions, TooSlow } from './search-thread-keeper.ts';
import { createSearchSocketClient, type SearchSocketClient } from './socket/client.ts';
import { createSearchSocket } from './socket/server.ts';

/** Puts one of the questions to whoever answers it. */
type Ask = <Q extends MessageQuestion>(account: string | undefined, question: Q, ...args: Parameters<MessageQuestions[Q]>) => ReturnType<MessageQuestions[Q]>;

/**
 * Message search in a thread of its own. A question that the thread cannot answer is answered here, with nothing found and the reason
 * in diagnostics.
 *
 * @param host another process, which is asked first
 */
export function createMessageSearch(options: MessageSearchOptions, host?: Pick<SearchSocketClient, 'ask'>): Lifecycle & MessageSearch {
  const { killSwitch, onEvent = () => {} } = options;
  const parts = { killSwitch, now: systemClock.now, elapsed: systemClock.monotonic, emit: onEvent };
  const lanes = createSearchLanes(options);
  const ask = (async (account, question, ...args) => (await host?.ask(question, ...args)) ?? lanes.ask(question, account, ...args)) as Ask;
  // The thread, not a database, is at fault.
  const faultOf = (error: unknown): SearchError => ({
    kind: 'engine_error',
    message: messageOf(error),
    ...(error instanceof TooSlow && { stage: 'deadline' as const }),
  });
  return {
    search(query, viewer, account) {
      const began = parts.elapsed();
      return ask(account, 'search', query, viewer).catch((error) => errorResponse(query, viewer, faultOf(error), { ...parts, began }));
    },
    project: (key, viewer = null) => ask(undefined, 'project', key, viewer).catch((error) => ({ ok: false, error: faultOf(error) })),
    product: (key, viewer = null) => ask(undefined, 'product', key, viewer).catch((error) => ({ ok: false, error: faultOf(error) })),
    errorResponse: (query, error) => errorResponse(query, null, error, parts),
    start: () => lanes.start(),
    stop: () => lanes.stop(),
    [Symbol.asyncDispose]: () => lanes.stop(),
  };
}

/**
 * The search of the process that the others of this host ask, the API: only it has the models, vectors and indexes of a data
 * directory in memory.
 */
export function searchForHost(options: MessageSearchOptions, onError: (error: unknown) => void): Lifecycle & MessageSearch {
  const search = createMessageSearch(options);
  const socket = createSearchSocket({ directory: path.dirname(options.file), settings: settingsOf(options), search, onError });
  return { ...search, ...sequential([search, socket]) };
}

/** The search of a process that asks the API's, where that runs with the same settings and version, which give the same answers, and else itself. */
export function searchOnHost(options: MessageSearchOptions): Lifecycle & MessageSearch {
  const host = createSearchSocketClient(path.dirname(options.file), settingsOf(options));
  const search = createMessageSearch(options, host);
  return {
    ...search,
    async stop() {
      host.close();
      await search.stop();
    },
    async [Symbol.asyncDispose]() {
      await this.stop();
    },
  };
}

/** Everything that an answer depends on beside the messages. The directory has the socket in it, so it is the same. */
function settingsOf({ tantivy, vectors, postgresql, readOnly, killSwitch }: MessageSearchOptions): string {
  const { model, reranker } = vectors ?? {};
  return JSON.stringify([
    packageVersion(),
    tantivy !== undefined,
    vectors !== undefined,
    model,
    reranker,
    postgresql?.url,
    postgresql?.replicas,
    readOnly === true,
    killSwitch,
  ]);
}
