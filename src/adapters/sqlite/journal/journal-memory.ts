import type { HostMemory } from '../../../core/ports/index.ts';
import { isThere } from '../../files/is-there.ts';
import { openJournalReader } from './journal-reader.ts';

/**
 * The successes in the journal of this host, for a worker that does not serve files: it may be the one who finds that
 * Redis has lost the ledger, and whoever rebuilds it must bring back all that the host remembers. Opened for each page:
 * this is rare, and there may be no journal yet.
 */
export function journalMemory(file: string): Pick<HostMemory, 'successes'> {
  return {
    async successes(after, limit) {
      if (!isThere(file)) return [];
      using reader = openJournalReader(file);
      return reader.successes(after, limit);
    },
  };
}
