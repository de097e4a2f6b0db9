import type { SqliteDatabase } from '../../../adapters/sqlite/open.ts';
import { messageOf } from '../../../core/errors.ts';
import { askedWords, type EngineAnswer, type EngineFound, type EngineRequest, type MessageEngine } from '../../../core/ports/message-engine.ts';
import { createChanges } from '../../store/changes.ts';
import { createSetReader, type SetReader } from '../result-set/reader.ts';
import { scoredRanking } from '../result-set/scored-engine.ts';
import type { Tantivy } from './binding.ts';
import { createPins, type Pinned } from './pinned.ts';
import { createQueries } from './query.ts';
import { analyzerOf } from './schema.ts';
import { readWords } from './words.ts';

export interface TantivyEngineParts {
  readonly tantivy: Tantivy;
  /** The directory of the index. */
  readonly root: string;
  /** The database of messages, open for reading; throws while there is none. It stays its owner's. */
  readonly database: () => SqliteDatabase;
}

/** Hits that are enough for most pages; more are asked for when filters have left too few. */
const WINDOW = 2000;
/** Scores are sums of numbers of 24 bits, in an order that is Tantivy's own: what differs less is the same. */
const BITS = 20;
/** Zero is the engine's lower bound, so a score says what share of the best row's a row has (docs/decisions/messages.md, D111). */
const SCALE = { best: null, worst: 0 };

/**
 * Message search by Tantivy. Words and scores come from the published generation, filters, scope, order and pages from the
 * database: a row that was deleted is never found, and a product has the projects that it has now.
 */
export function createTantivyEngine({ tantivy, root, database }: TantivyEngineParts): MessageEngine {
  const pins = createPins(tantivy, root);
  const reader = createSetReader(database);
  const analyzer = analyzerOf(tantivy);

  let prepared: { readonly db: SqliteDatabase; readonly newest: () => number } | undefined;

  function newest(): number {
    const db = database();
    if (prepared?.db !== db) prepared = { db, newest: createChanges(db).newest };
    return prepared.newest();
  }

  function find(request: EngineRequest): EngineAnswer<EngineFound> {
    const { match } = request;
    if (match.by !== 'words') return reader.answered(request, () => reader.page(request, null));
    const pin = pins();
    if (!pin.ok) return { ok: false, error: { kind: 'index_not_ready', message: pin.why } };
    const read = readWords(askedWords(match, true), request.kind, (text) => analyzer.analyze(text));
    if ('onlyFts5' in read) return { ok: false, error: { kind: 'invalid_query', message: `only FTS5 knows ${read.onlyFts5}` } };
    return reader.answered(request, () => {
      const query = createQueries(tantivy, pin.pinned.schema)(read.wanted, request.kind);
      return pageIn(reader, request, (most) => scoresOf(pin.pinned, query, most));
    });
  }

  return {
    name: 'tantivy',
    tag: 'tantivy',
    mode: 'lexical',
    find,
    rows: (set) => reader.answered(set, () => reader.rows(set)),
    absent(resuming) {
      try {
        const pin = pins();
        if (!pin.ok) return pin.missing ? pin.why : undefined;
        if (resuming) return undefined;
        const behind = newest() - pin.pinned.published.seq;
        return behind === 0 ? undefined : `the index is ${behind} changes behind`;
      } catch (error) {
        return messageOf(error);
      }
    },
  };
}

interface Scores {
  readonly ids: readonly number[];
  readonly raws: readonly number[];
  /** What every row that is not among these may have at most; 0: these are all. */
  readonly rest: number;
}

function scoresOf(pinned: Pinned, query: Parameters<Pinned['search']>[0], most: number): Scores {
  const { ids, raws, count } = pinned.search(query, most);
  const grid = 2 ** (Math.floor(Math.log2(raws[0] ?? 1)) - BITS);
  const snapped = raws.map((raw) => Math.round(raw / grid) * grid);
  return { ids, raws: snapped, rest: count > ids.length ? (snapped.at(-1) ?? 0) : 0 };
}

/** The page from the best hits alone where it lies safely above the others, else from all. */
function pageIn(reader: SetReader, request: EngineRequest, scores: (most: number) => Scores): EngineFound {
  const isWindowed = request.order === 'relevance' && !request.count;
  if (isWindowed) {
    const best = scores(WINDOW);
    const found = page(reader, request, best);
    if (best.rest === 0) return found;
    if (isAbove(found, best.rest)) return { ...found, matched: null, denied: null };
  }
  return page(reader, request, scores(ALL));
}

const ALL = Number.POSITIVE_INFINITY;

function page(reader: SetReader, request: EngineRequest, { ids, raws }: Scores): EngineFound {
  return reader.page(request, scoredRanking({ ids, raws, scale: SCALE }));
}

/** Whether nothing that was not looked at can come before the last row of what was found, or between. */
function isAbove({ rows, more, list, resumed }: EngineFound, rest: number): boolean {
  if (!more || resumed === 'score' || resumed === 'lost') return false;
  const last = list === null ? rows.at(-1)?.raw : Number(list.keys.slice(list.keys.lastIndexOf(',') + 1)) * list.unit;
  return last !== undefined && last > rest && (list === null || !list.whole);
}
