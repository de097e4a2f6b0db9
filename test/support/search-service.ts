import { createFts5Engine } from '../../src/adapters/messages/fts5/engine.ts';
import { createMessagesReader } from '../../src/adapters/messages/reader.ts';
import { createRecipientsReader } from '../../src/adapters/messages/recipients.ts';
import type { MessageEngine } from '../../src/core/ports/message-engine.ts';
import type { MessageSearchEvent } from '../../src/core/ports/message-search.ts';
import type { KillSwitch, Missing } from '../../src/message-search/modes.ts';
import { createMessageSearchService, type MessageSearchService } from '../../src/message-search/service.ts';

interface Wishes {
  readonly killSwitch?: KillSwitch;
  readonly engines?: Partial<Record<MessageEngine['name'], MessageEngine>>;
  readonly absent?: Missing | undefined;
  readonly now?: () => number;
  readonly elapsed?: () => number;
}

/** Message search over a file in this thread, and what it says happened. */
export function searchOver(file: string, wishes: Wishes = {}): MessageSearchService & { events: MessageSearchEvent[]; fts5: MessageEngine; close: () => void } {
  const { killSwitch, engines = {}, absent, now = () => 1_000_000, elapsed = () => performance.now() } = wishes;
  const reader = createMessagesReader(file);
  const events: MessageSearchEvent[] = [];
  const fts5 = createFts5Engine(reader.database);
  const service = createMessageSearchService({
    engines: { fts5, ...engines },
    absent,
    recipients: createRecipientsReader(reader.database),
    killSwitch,
    now,
    elapsed,
    emit: (event) => events.push(event),
  });
  return { ...service, events, fts5, close: () => reader.close() };
}
