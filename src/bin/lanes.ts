import type { Config } from '../../config/schema.ts';
import type { Lanes } from '../../queues/catalog.ts';
import { wantsIndex } from '../content-search/settings/refusals.ts';

/** The queues that a pool has only where its settings want what they are for. */
export function lanesOf(config: Pick<Config, 'tools' | 'messages'>): Lanes {
  return { index: wantsIndex(config), messages: config.messages.enabled };
}
