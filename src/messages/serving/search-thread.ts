import { threadData, threadSide } from '../../adapters/threads/serve.ts';
import { systemClock } from '../../core/clock.ts';
import type { SearchError } from '../../core/ports/message-engine.ts';
import type { MessageQuestions } from '../../core/ports/message-search.ts';
import { createFts5Engine } from '../engines/fts5/engine.ts';
import { createExcerpts } from '../engines/fts5/excerpts.ts';
import { failingEngine } from '../search/error-response.ts';
import { createMessageSearchService } from '../search/service.ts';
import { createCursorKeys } from '../store/cursor-keys.ts';
import { lookUp, productNamed, projectNamed } from '../store/named-projects.ts';
import { createMessagesReader } from '../store/reader.ts';
import { createRecipientsReader } from '../store/recipients.ts';
import { createCopiedSearch } from './copied-search.ts';
import { createFts5InProcess } from './fts5-in-process.ts';
import { createPostgresqlSearch } from './postgresql.ts';
import { engineAtWork, type SearchThreadData, type SearchThreadEvent } from './search-thread-protocol.ts';
import { tantivyOf } from './tantivy.ts';
import { vectorsOf } from './vector-engines.ts';

/** A search over a broad word reads every row that has it: no event loop of a server may wait for that. */
const { file, tantivy, vectors, postgresql, readOnly, killSwitch, hung, atWork, deadlineMs } = threadData<SearchThreadData>();
const { tell, serve } = threadSide<MessageQuestions, SearchThreadEvent>();
const { watched, enter, setProcess } = engineAtWork(atWork);
const reader = createMessagesReader(file);
const fts5InProcess = deadlineMs === null ? undefined : createFts5InProcess(file, deadlineMs, setProcess);
const fts5 = fts5InProcess ?? createFts5Engine(reader.database);
const lexical = lexicalOf();
const near = nearOf();
const alone = readOnly && postgresql !== null ? createCopiedSearch(postgresql, tell) : undefined;
const copy = postgresql === null || readOnly ? undefined : createPostgresqlSearch(postgresql, reader.database, tell);
const service = createMessageSearchService({
  engines: { fts5, ...lexical.engines, ...near.engines, ...(copy && { postgresql: copy.engine }) },
  absent: { ...lexical.absent, ...near.absent },
  recipients: createRecipientsReader(reader.database),
  excerpts: createExcerpts(),
  cursorKeys: createCursorKeys(reader.database, systemClock.monotonic),
  killSwitch,
  now: systemClock.now,
  elapsed: systemClock.monotonic,
  emit: tell,
});

/** The package is loaded here, which is native code. */
function lexicalOf(): ReturnType<typeof tantivyOf> {
  if (hung.tantivy !== undefined) return { engines: { tantivy: failingEngine('tantivy', errorOf(hung.tantivy)) } };
  using _ = enter('tantivy');
  const { engines, absent } = tantivyOf(tantivy, reader.database);
  return { ...(engines && { engines: { tantivy: watched(engines.tantivy) } }), ...(absent && { absent }) };
}

function nearOf(): ReturnType<typeof vectorsOf> {
  const found = vectorsOf(vectors, reader.database, [...Object.values(lexical.engines ?? {}), fts5]);
  const engines = Object.values(found.engines ?? {}).map(
    (engine) => [engine.name, hung.hybrid === undefined ? watched(engine) : failingEngine(engine.name, errorOf(hung.hybrid))] as const,
  );
  return { ...found, engines: Object.fromEntries(engines) };
}

function errorOf(message: string): SearchError {
  return { kind: 'engine_error', message };
}

serve(() => ({
  calls: alone ?? {
    search: (query, viewer) => service.search(query, viewer),
    project: async (key, viewer) => lookUp(reader.database, (db) => projectNamed(db, key, viewer)),
    product: async (key, viewer) => lookUp(reader.database, (db) => productNamed(db, key, viewer)),
  },
  async close() {
    reader.close();
    await Promise.all([fts5InProcess?.close(), copy?.close(), alone?.close()]);
  },
}));
