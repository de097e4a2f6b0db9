import type { Config } from '../../../../config/schema.ts';
import { contentRefusal } from '../settings.ts';
import { wantsIndex } from './wanted.ts';

/** Why there is nothing for an index host to do; undefined when there is. */
export function indexRefusal(config: Pick<Config, 'tools'>): string | undefined {
  return wantsIndex(config) ? contentRefusal(config) : 'index_mode is off in [tools.search]';
}
