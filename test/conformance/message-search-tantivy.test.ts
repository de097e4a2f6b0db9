import { createPins } from '../../src/messages/engines/tantivy/pinned.ts';
import { createQueries } from '../../src/messages/engines/tantivy/query.ts';
import { analyzerOf } from '../../src/messages/engines/tantivy/schema.ts';
import { readWords } from '../../src/messages/engines/tantivy/words.ts';
import { sanitizeFtsQuery } from '../../src/messages/search/sanitize.ts';
import { cases } from '../support/oracle-runs.ts';
import { searchOver } from '../support/search-service.ts';
import { describeTantivy, tantivyOver } from '../support/tantivy.ts';
import { tantivyRank } from '../support/tantivy-oracle.ts';
import { messageSearchConformance } from './message-search.ts';

const queries = cases(10);

describeTantivy('message search over Tantivy', (tantivy) => {
  /** One index for all who search a file: how often a word occurs there is counted over what was deleted too. */
  const open = new Map<string, ReturnType<typeof tantivyOver>>();
  let latest = '';

  messageSearchConformance(
    (file) => {
      latest = file;
      const rig = open.get(file) ?? tantivyOver(tantivy, file);
      const isFirst = !open.has(file);
      open.set(file, rig);
      const service = searchOver(file, { engines: { tantivy: rig.engine } });
      return {
        async search(query, viewer) {
          rig.indexer.follow();
          return service.search(query, viewer);
        },
        close() {
          service.close();
          if (isFirst) rig.close();
          open.delete(file);
        },
      };
    },
    {
      mailboxes: 2,
      queries,
      seed: 201,
      rank: tantivyRank((text) => {
        const rig = open.get(latest);
        rig?.indexer.follow();
        const pin = createPins(tantivy, rig?.root ?? '')();
        if (!pin.ok) throw new Error(pin.why);
        const read = readWords(sanitizeFtsQuery(text.replace(/\s+/gu, ' ').trim()) ?? '', 'message', (words) => analyzerOf(tantivy).analyze(words));
        if ('onlyFts5' in read) throw new Error(`only FTS5 knows ${read.onlyFts5}`);
        const { ids, raws } = pin.pinned.search(createQueries(tantivy, pin.pinned.schema)(read.wanted, 'message'), Number.POSITIVE_INFINITY);
        const grid = 2 ** (Math.floor(Math.log2(raws[0] ?? 1)) - 20);
        return new Map(ids.map((id, index) => [id, Math.round((raws[index] ?? 0) / grid) * grid]));
      }),
    },
  );
});
