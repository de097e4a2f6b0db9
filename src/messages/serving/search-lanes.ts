import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { SearchQuery, SearchResponse } from '../../contracts/index.ts';
import { systemClock } from '../../core/clock.ts';
import { type Lifecycle, sequential } from '../../core/lifecycle.ts';
import type { MessageAnswer, MessageQuestion, MessageQuestions, SearchViewer } from '../../core/ports/message-search.ts';
import { createFairTurns } from './fair-turns.ts';
import { createSearchThread, type MessageSearchOptions } from './search-thread-keeper.ts';

/** Processes that search at the same time, where nobody says otherwise. */
const PROCESSES = 2;
/** Searches that run, or wait for those before them; further ones are answered at once, with nothing found and the reason. */
const MAX_SEARCHES = 256;
/** Those of one key that wait. */
const MAX_WAITING_OF_ONE = 64;
/** Searches whose next page is wanted from the process that keeps their order. */
const MAX_STICKY = 1024;

type Ask = <Q extends MessageQuestion>(question: Q, account: string | undefined, ...args: Parameters<MessageQuestions[Q]>) => Promise<MessageAnswer<Q>>;

/**
 * Who searches. Words are looked for by FTS5 in processes, each of which is ended with the search that takes too long; a
 * search that needs an index of Tantivy's, vectors or a model has them in one thread, where they are loaded once.
 */
export function createSearchLanes(options: MessageSearchOptions): Lifecycle & { readonly ask: Ask } {
  const { tantivy: _, vectors: __, ...words } = options;
  const processes = Array.from({ length: options.processes ?? PROCESSES }, () => createSearchThread(words, 'process'));
  const models = createSearchThread(options, 'thread');
  const turnsOfWords = createFairTurns({ ...LIMITS, lanes: processes.length });
  const turnsOfModels = createFairTurns({ ...LIMITS, lanes: 1 });
  const keepers = new LRUCache<string, number>({ max: MAX_STICKY });

  const ask = (async (question, account, ...args) => {
    const search = question === 'search' ? (args as unknown as readonly [SearchQuery, SearchViewer]) : undefined;
    if (search !== undefined && needsModels(options, search[0])) {
      using _turn = await turnsOfModels.take(account);
      return await models.ask(question, ...args);
    }
    const goesOn = typeof search?.[0].cursor === 'string' && search[0].cursor !== '';
    using turn = await turnsOfWords.take(account, goesOn ? keepers.get(orderKey(search)) : undefined);
    const answer = await lane(turn.lane).ask(question, ...args);
    if (search !== undefined && !goesOn && hasMore(answer)) keepers.set(orderKey(search), turn.lane);
    return answer;
  }) as Ask;

  function lane(index: number): ReturnType<typeof createSearchThread> {
    return processes[index] ?? models;
  }

  return { ...sequential([models, ...processes]), ask };
}

const LIMITS = { most: MAX_SEARCHES, mostOfOne: MAX_WAITING_OF_ONE, elapsed: systemClock.monotonic };

function needsModels({ tantivy, vectors, killSwitch }: MessageSearchOptions, { mode }: SearchQuery): boolean {
  if (tantivy !== undefined) return true;
  return vectors !== undefined && (mode ?? (killSwitch === 'hybrid' ? 'hybrid' : 'lexical')) !== 'lexical';
}

/** One word for all pages of a search. */
function orderKey([query, viewer]: readonly [SearchQuery, SearchViewer]): string {
  const { cursor: _cursor, limit: _limit, offset: _offset, explain: _explain, ...search } = query;
  return createHash('sha256')
    .update(JSON.stringify([search, viewer]))
    .digest('base64');
}

function hasMore(answer: unknown): answer is SearchResponse {
  return typeof answer === 'object' && answer !== null && 'next_cursor' in answer;
}
