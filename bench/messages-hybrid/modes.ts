import { rmSync } from 'node:fs';
import type { SearchQuery } from '../../src/contracts/index.ts';
import { createFts5Engine } from '../../src/messages/engines/fts5/engine.ts';
import { createVectorSearcher } from '../../src/messages/engines/vectors/engine.ts';
import { createVectorMaker } from '../../src/messages/engines/vectors/maker.ts';
import { createHashEmbedder } from '../../src/messages/search/embed/hash.ts';
import { vectorEngines } from '../../src/messages/serving/vector-engines.ts';
import { openMessagesReader } from '../../src/messages/store/open.ts';
import type { Figures } from '../messages/figures.ts';
import { openLibrary } from '../messages/library.ts';
import { queriesOf } from '../messages/queries.ts';
import type { BenchMailbox } from './mailboxes.ts';

const REPEATS = 20;
const STEP = 1000;

/** Whole searches by vectors and by both, with and without a filter: the page, its rows and recipients included. A figure; nothing is compared. */
export async function measureModes({ size, count, file }: BenchMailbox, figures: Figures): Promise<void> {
  const directory = `${file}.vectors`;
  const db = openMessagesReader(file);
  const embedder = createHashEmbedder();
  const maker = createVectorMaker(directory, embedder, () => db);
  const start = performance.now();
  for (let step = await maker.step(STEP); step.documents > 0 || step.finished; ) step = await maker.step(STEP);
  figures.set(`vectors_build_${size}.messages_per_second`, Math.round((count / (performance.now() - start)) * 1000));
  maker.close();
  const searcher = createVectorSearcher(directory, embedder);
  const library = openLibrary(file, (database) => vectorEngines({ embedder, searcher, database, lexical: [createFts5Engine(database)] }));
  const queries = queriesOf('selective', db).map(({ query }) => query);
  const filters: readonly (readonly [string, Partial<SearchQuery>])[] = [
    ['', {}],
    ['_filtered', { project_id: 1 }],
  ];
  for (const mode of ['semantic', 'hybrid'] as const) {
    for (const [suffix, filter] of filters) {
      // The first of each reads the vectors, or the ids that a filter leaves.
      for (let turn = 0; turn <= REPEATS; turn += 1) {
        for (const query of queries) {
          const begun = performance.now();
          await library.service.search({ ...query, ...filter, mode }, null);
          if (turn > 0) figures.add(`library.${mode}${suffix}_${size}`, performance.now() - begun);
        }
      }
    }
  }
  searcher.close();
  library.close();
  db.close();
  rmSync(directory, { recursive: true, force: true });
}
