import type { SearchMode } from '../../contracts/index.ts';
import type { EngineMatch, EngineName, EngineOrder, EngineRequest, EngineTag, MessageEngine } from '../../core/ports/message-engine.ts';
import type { SearchViewer } from '../../core/ports/message-search.ts';
import { scopeOf } from '../visibility/scope.ts';
import { type BoundedWords, boundedWords, MAX_PREFIXES, MAX_WORDS } from './bounded-words.ts';
import { decodeCursor } from './cursor.ts';
import type { EngineFault } from './engine-fault.ts';
import { filtersOf, hasFilter } from './facets.ts';
import { likeTerms, singleLetters } from './like-terms.ts';
import { joinedName, namesAsPhrases } from './names.ts';
import type { NormalQuery } from './query.ts';
import { joinedAsPhrases, sanitizeFtsQuery } from './sanitize.ts';

/** What SEARCH_ENGINE says (message-search.md 1.3); `undefined`: nothing. */
export type KillSwitch = 'fts5' | 'tantivy' | 'postgresql' | 'shadow' | 'hybrid' | undefined;

/** Engines that serve a mode, best first (message-search.md 1.2). */
const CHAINS = {
  lexical: ['tantivy', 'fts5'],
  semantic: ['semantic', 'tantivy', 'fts5'],
  hybrid: ['hybrid', 'tantivy', 'fts5'],
  hybrid_rerank: ['hybrid_rerank', 'hybrid', 'tantivy', 'fts5'],
} satisfies Record<SearchMode, readonly EngineName[]>;

export interface Route {
  readonly requested: SearchMode;
  /** Engines to ask, one after the other until one answers. */
  readonly engines: readonly EngineName[];
  /** Why the engines that should have come first are not among them. */
  readonly reasons: readonly string[];
  /** Whether Tantivy is asked too, for comparison. */
  readonly shadow: boolean;
}

/** Why an engine is not there; absent: it is. */
export type Missing = Readonly<Partial<Record<EngineName, string>>>;

const NOT_THERE: Missing = {
  tantivy: 'the engine is not installed',
  postgresql: 'messages.postgresql_url names no database',
  semantic: 'there are no vectors',
  hybrid: 'there are no vectors',
  hybrid_rerank: 'there is no reranker',
};

export interface EngineSetup {
  /** The engines that there are. FTS5 always is, also when its database is not: then it says so for each search. */
  readonly engines: { readonly fts5: MessageEngine } & Partial<Readonly<Record<EngineName, MessageEngine>>>;
  /** Why others are not, where more is known than that. */
  readonly absent?: Missing | undefined;
  readonly killSwitch: KillSwitch;
}

/** Which engines are asked. The one that began an order goes on with it. */
export function chooseEngines(setup: EngineSetup, { mode, cursor }: NormalQuery): Route {
  const began = cursor === null ? undefined : decodeCursor(cursor)?.engine;
  const names = Object.keys({ ...NOT_THERE, ...setup.absent }) as EngineName[];
  const missing = names.flatMap((name) => {
    const reason = whyMissing(setup, name, began === setup.engines[name]?.tag);
    return reason === undefined ? [] : [[name, reason]];
  });
  return routeOf(mode, setup.killSwitch, Object.fromEntries(missing), began);
}

/** Why an engine is not asked now; `undefined`: it is. */
export function whyMissing({ engines, absent }: EngineSetup, name: EngineName, resuming: boolean): string | undefined {
  const engine = engines[name];
  return engine === undefined ? (absent?.[name] ?? NOT_THERE[name]) : engine.absent?.(resuming);
}

/**
 * Which engines answer a mode, given the kill switch and what there is. FTS5 is the last resort of every chain.
 *
 * @param began the engine whose order is to be gone on with: FTS5 goes on also where PostgreSQL would begin, or Tantivy that was not ordered
 */
export function routeOf(mode: SearchMode | null, killSwitch: KillSwitch, missing: Missing, began?: EngineTag): Route {
  const requested = mode ?? (killSwitch === 'hybrid' ? 'hybrid' : 'lexical');
  const shadow = killSwitch === 'shadow';
  if (killSwitch === 'fts5' || shadow) {
    const reasons = requested === 'lexical' ? [] : [`SEARCH_ENGINE is ${killSwitch}`];
    return { requested, engines: ['fts5'], reasons, shadow };
  }
  // Who has PostgreSQL has ordered it, in Tantivy's place.
  const chain = CHAINS[requested].map((engine): EngineName => (engine === 'tantivy' && killSwitch === 'postgresql' ? killSwitch : engine));
  const there = chain.filter((engine) => missing[engine] === undefined);
  const isOrdered = there[0] === 'tantivy' && killSwitch === 'tantivy';
  const engines = began === 'fts5' && there.includes('fts5') && (there[0] === 'tantivy' || there[0] === 'postgresql') && !isOrdered ? there.slice(1) : there;
  // Whoever asks for lexical search gets it from FTS5 too, so that is no reason worth a word, unless Tantivy was ordered.
  const said = chain.slice(0, chain.indexOf(engines[0] ?? 'fts5')).filter((engine) => engine !== 'tantivy' || killSwitch === 'tantivy');
  return { requested, engines, reasons: said.map((engine) => `${engine}: ${missing[engine] ?? 'not there'}`), shadow };
}

/** What a query comes to before an engine is asked: something to match, or a reason why nothing can be found. */
export type Plan =
  | {
      readonly empty: false;
      readonly match: EngineMatch;
      readonly notes: readonly string[];
      readonly notesWithLetters?: readonly string[];
      readonly faults: readonly EngineFault[];
    }
  | { readonly empty: true; readonly reason: string };

/** message-search.md 2.2 and notes 3.3: words, else substrings, else filters alone, else nothing. */
export function planOf(query: NormalQuery): Plan {
  if (query.text === '') return withoutText(query);
  const sanitized = sanitizedWords(query.text);
  const { expression, notes } = sanitized === undefined ? NO_WORDS : boundedWords(sanitized);
  if (sanitized !== undefined && expression !== undefined) {
    const wide = notes.length === 0 ? { expression, notes } : boundedWords(sanitized, 1);
    const letters = wide.expression === undefined || wide.expression === expression ? {} : { with_letters: wide.expression };
    const also = joinedName(expression);
    const match = { by: 'words' as const, expression, text: query.text, ...letters, ...(also !== undefined && { also }) };
    return { empty: false, match, notes, notesWithLetters: wide.notes, faults: [] };
  }
  const match = plainMatch(query.text);
  if (match === undefined) return { empty: true, reason: 'invalid_query: the text has no word to look for' };
  return { empty: false, match, notes, faults: sanitized === undefined ? [] : [TOO_MUCH] };
}

function sanitizedWords(text: string): string | undefined {
  const sanitized = sanitizeFtsQuery(text);
  return sanitized === undefined ? undefined : joinedAsPhrases(namesAsPhrases(sanitized));
}

const NO_WORDS: BoundedWords = { expression: undefined, notes: [] };

const TOO_MUCH: EngineFault = {
  engine: 'fts5',
  kind: 'invalid_query',
  message: `an expression has at most ${MAX_WORDS} words, ${MAX_PREFIXES} of them prefixes`,
};

/**
 * What is looked for when the engine cannot take the expression: parts of title and body, or letters that stand alone as words
 * (`C?`), since no index narrows the rows that have them as parts; `undefined`: the text has neither.
 */
export function plainMatch(text: string): EngineMatch | undefined {
  const terms = likeTerms(text);
  if (terms.length > 0) return { by: 'substrings', terms };
  const letters = singleLetters(text);
  return letters.length === 0 ? undefined : { by: 'words', expression: letters.join(' '), text: letters.join(' ') };
}

function withoutText(query: NormalQuery): Plan {
  if (query.doc_kind === 'message' && hasFilter(filtersOf(query))) return { empty: false, match: { by: 'filters' }, notes: [], faults: [] };
  return { empty: true, reason: 'invalid_query: neither text nor filter' };
}

/** Only words have a relevance; everything else is newest first, or for agents and projects by id. */
export function orderOf(query: NormalQuery, match: EngineMatch): EngineOrder {
  if (query.ranking === 'recency') return 'newest';
  if (match.by === 'words') return 'relevance';
  return query.doc_kind === 'message' ? 'newest' : 'id';
}

/** What an engine is asked for a query, whichever page of it. */
export type PageRequest = Omit<EngineRequest, 'after' | 'list'>;

export function engineRequestOf(query: NormalQuery, viewer: SearchViewer, match: EngineMatch, nowUs: number): PageRequest {
  return {
    kind: query.doc_kind,
    match,
    filters: filtersOf(query),
    scope: scopeOf(query, viewer),
    bodies: query.bodies || query.snippets,
    order: orderOf(query, match),
    min_score: query.min_score,
    offset: query.offset,
    limit: query.limit,
    count: query.explain || query.facets,
    ...(query.facets && query.doc_kind === 'message' && { facets: true }),
    now_us: nowUs,
    fusion: { rrf_k: query.rrf_k, rerank_top_k: query.rerank_top_k },
  };
}
