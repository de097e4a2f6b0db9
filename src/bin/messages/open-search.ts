import type { Config } from '../../../config/schema.ts';
import { WritError } from '../../core/errors.ts';
import type { Lifecycle } from '../../core/lifecycle.ts';
import { part } from '../../core/parts.ts';
import type { MessageSearch, MessageSearchEvent } from '../../core/ports/index.ts';
import type { Places } from '../places.ts';
import { createMessageSearch } from './search.ts';

interface Wiring {
  readonly config: Config;
  readonly places: Places;
  readonly onEvent?: (event: MessageSearchEvent) => void;
}

/** Search in the messages of a data directory; where messages are off, every question throws WritError WRONG_STATE. */
export function openMessageSearch({ config, places, onEvent }: Wiring): Lifecycle & MessageSearch {
  const { enabled, engine, tantivy, vectors, model, reranker } = config.messages;
  if (!enabled) return { ...NOTHING, search: off, project: off, product: off, unanswered: off };
  return createMessageSearch({
    file: places.messages,
    ...(tantivy && { tantivy: places.messagesTantivy }),
    ...(vectors && { vectors: { directory: places.messagesVectors, model, reranker } }),
    killSwitch: engine === '' ? undefined : engine,
    ...(onEvent === undefined ? {} : { onEvent }),
  });
}

/** Nothing to start, nothing to stop. */
const NOTHING = part(
  () => undefined,
  () => undefined,
);

async function off(): Promise<never> {
  throw new WritError('WRONG_STATE', 'messages are off here: messages.enabled is false');
}
