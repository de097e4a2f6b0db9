import path from 'node:path';
import { packageVersion } from '../../../config/package.ts';
import type { Lifecycle } from '../../core/lifecycle.ts';
import { inOrder } from '../../core/parts.ts';
import type { MessageSearch } from '../../core/ports/message-search.ts';
import { createMessageSearch } from './search.ts';
import type { MessageSearchOptions } from './search-thread-keeper.ts';
import { createSearchSocketClient } from './socket/client.ts';
import { createSearchSocket } from './socket/server.ts';

/**
 * One process of a host has models, vectors and indexes of a data directory in memory, the API, and the others ask it: for
 * the same settings and the same version, which are the same answers. Without it each loads what it needs.
 */

/** The search of the process that others ask. */
export function searchForHost(options: MessageSearchOptions, onError: (error: unknown) => void): Lifecycle & MessageSearch {
  const search = createMessageSearch(options);
  const socket = createSearchSocket({ directory: path.dirname(options.file), settings: settingsOf(options), search, onError });
  return { ...search, ...inOrder([search, socket]) };
}

/** The search of a process that asks the other one, and itself when there is none. */
export function searchOnHost(options: MessageSearchOptions): Lifecycle & MessageSearch {
  const own = createMessageSearch(options);
  const host = createSearchSocketClient(path.dirname(options.file), settingsOf(options));
  return {
    ...own,
    search: async (query, viewer) => (await host.search(query, viewer)) ?? own.search(query, viewer),
    project: async (key) => (await host.project(key)) ?? own.project(key),
    product: async (key) => (await host.product(key)) ?? own.product(key),
    async stop() {
      host.close();
      await own.stop();
    },
    async [Symbol.asyncDispose]() {
      await this.stop();
    },
  };
}

/** Everything that an answer depends on beside the messages. The directory has the socket in it, so it is the same. */
function settingsOf({ tantivy, vectors, killSwitch }: MessageSearchOptions): string {
  const { model, reranker } = vectors ?? {};
  return JSON.stringify([packageVersion(), tantivy !== undefined, vectors !== undefined, model, reranker, killSwitch]);
}
