import type { MessageEngine } from '../../src/core/ports/message-engine.ts';
import type { MessageSearchEvent } from '../../src/core/ports/message-search.ts';
import { createFts5Engine } from '../../src/messages/engines/fts5/engine.ts';
import { createExcerpts } from '../../src/messages/engines/fts5/excerpts.ts';
import type { KillSwitch, Missing } from '../../src/messages/search/planner.ts';
import { createMessageSearchService, type MessageSearchService } from '../../src/messages/search/service.ts';
import { createCursorKeys } from '../../src/messages/store/cursor-keys.ts';
import { createMessagesReader } from '../../src/messages/store/reader.ts';
import { createRecipientsReader } from '../../src/messages/store/recipients.ts';

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
    excerpts: createExcerpts(),
    cursorKeys: createCursorKeys(reader.database, elapsed),
    killSwitch,
    now,
    elapsed,
    emit: (event) => events.push(event),
  });
  return { ...service, events, fts5, close: () => reader.close() };
}
