import { unknownSearchEngine } from '../../../config/load.ts';
import type { Lifecycle } from '../../core/lifecycle.ts';
import type { MessageSearch } from '../../core/ports/index.ts';
import { LOG_LINES } from '../../observability/log-lines.ts';
import { messageSearchTelemetry } from '../../observability/message-search.ts';
import type { Metrics } from '../../observability/metrics.ts';
import type { RoleContext } from '../roles/context.ts';
import { openHostSearch } from '../messages.ts';

/** Search in messages as a role has it: what happens is counted and logged, and a wrong SEARCH_ENGINE is told of. */
export function messageSearchOfRole({ config, places, log }: RoleContext, metrics: Metrics): Lifecycle & MessageSearch {
  const word = unknownSearchEngine();
  if (word !== undefined) log.warn({ word: word.slice(0, 64) }, LOG_LINES.messageEngineUnknown.message);
  return openHostSearch({
    config,
    places,
    onEvent: messageSearchTelemetry(metrics, log),
    onSocketError: (error) => log.warn({ err: error }, LOG_LINES.messageSocket.message),
  });
}
