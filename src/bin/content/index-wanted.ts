import type { Config } from '../../../../config/schema.ts';

/** Whether there is a queue of index maintenance, and a host to be missed. */
export function wantsIndex({ tools }: Pick<Config, 'tools'>): boolean {
  return tools.search.index_mode !== 'off';
}
