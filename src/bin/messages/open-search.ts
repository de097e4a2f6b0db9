import type { Config } from '../../../config/schema.ts';
import { WritError } from '../../core/errors.ts';
import { type Lifecycle, lifecycle } from '../../core/lifecycle.ts';
import type { MessageSearch, MessageSearchEvent } from '../../core/ports/index.ts';
import type { DataDirPaths } from '../../data-dir/paths.ts';
import { searchForHost, searchOnHost } from '../../messages/serving/host-search.ts';
import type { MessageSearchOptions } from '../../messages/serving/search-thread-keeper.ts';

interface Wiring {
  readonly config: Config;
  readonly places: DataDirPaths;
}

/** Search in the messages of a data directory; where messages are off, every question throws WritError WRONG_STATE. */
export function openMessageSearch(wiring: Wiring): Lifecycle & MessageSearch {
  return wiring.config.messages.enabled ? searchOnHost(optionsOf(wiring)) : OFF;
}

/** The same for the process that searches for all others of this host. */
export function openHostSearch({
  onEvent,
  onSocketError,
  ...wiring
}: Wiring & { readonly onEvent: (event: MessageSearchEvent) => void; readonly onSocketError: (error: unknown) => void }): Lifecycle & MessageSearch {
  return wiring.config.messages.enabled ? searchForHost({ ...optionsOf(wiring), onEvent }, onSocketError) : OFF;
}

function optionsOf({ config, places }: Wiring): MessageSearchOptions {
  const { engine, tantivy, vectors, model, reranker } = config.messages;
  return {
    file: places.messages,
    ...(tantivy && { tantivy: places.messagesTantivy }),
    ...(vectors && { vectors: { directory: places.messagesVectors, model, reranker } }),
    killSwitch: engine === '' ? undefined : engine,
  };
}

/** Nothing to start, nothing to stop. */
const NOTHING = lifecycle(
  () => undefined,
  () => undefined,
);

const OFF: Lifecycle & MessageSearch = { ...NOTHING, search: off, project: off, product: off, unanswered: off };

async function off(): Promise<never> {
  throw new WritError('WRONG_STATE', 'messages are off here: messages.enabled is false');
}
