import { systemClock } from '../../core/clock.ts';
import { messageOf } from '../../core/errors.ts';
import type { Lifecycle } from '../../core/lifecycle.ts';
import type { SearchError } from '../../core/ports/message-engine.ts';
import type { MessageSearch } from '../../core/ports/message-search.ts';
import { errorResponse } from '../search/error-response.ts';
import { createSearchThread, type MessageSearchOptions } from './search-thread-keeper.ts';

/** Message search in a thread of its own. A search that the thread cannot answer is answered here, with nothing found and the reason in diagnostics. */
export function createMessageSearch(options: MessageSearchOptions): Lifecycle & MessageSearch {
  const { killSwitch, onEvent = () => {} } = options;
  const parts = { killSwitch, now: systemClock.now, elapsed: systemClock.monotonic, emit: onEvent };
  const thread = createSearchThread(options);
  return {
    async search(query, viewer) {
      try {
        return await thread.ask('search', query, viewer);
      } catch (error) {
        return errorResponse(query, viewer, faultOf(error), parts);
      }
    },
    project: (key) => thread.ask('project', key).catch((error) => ({ ok: false, error: faultOf(error) })),
    product: (key) => thread.ask('product', key).catch((error) => ({ ok: false, error: faultOf(error) })),
    errorResponse: (query, error) => errorResponse(query, null, error, parts),
    start: () => thread.start(),
    stop: () => thread.stop(),
    [Symbol.asyncDispose]: () => thread.stop(),
  };
}

/** The thread, not a database, is at fault. */
function faultOf(error: unknown): SearchError {
  return { kind: 'engine_error', message: messageOf(error) };
}
