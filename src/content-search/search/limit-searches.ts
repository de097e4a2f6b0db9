import { WritError } from '../../core/errors.ts';
import type { ContentSearch } from '../../core/ports/index.ts';

/** The same tool with at most `max` searches at a time. Further ones throw WritError RATE_LIMITED. */
export function limitSearches<T extends ContentSearch>(tool: T, max: number): T {
  let running = 0;
  return {
    ...tool,
    async search(request: unknown, signal: AbortSignal) {
      if (running >= max) throw new WritError('RATE_LIMITED', `${max} content searches run already; try again in a moment`);
      running += 1;
      try {
        return await tool.search(request, signal);
      } finally {
        running -= 1;
      }
    },
  };
}
