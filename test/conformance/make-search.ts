import type { MessageSearchService } from '../../src/messages/search/service.ts';

/** A search over a file of messages, as one engine makes it. */
export type MakeSearch = (file: string) => MessageSearchService & { close: () => void };
