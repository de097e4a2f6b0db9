import type { SearchMode } from '../../contracts/index.ts';
import type { EngineName, EngineTag } from '../../core/ports/message-engine.ts';

/** What SEARCH_ENGINE says (message-search.md 1.3); `undefined`: nothing. */
export type KillSwitch = 'fts5' | 'tantivy' | 'shadow' | 'hybrid' | undefined;

/** Engines that serve a mode, best first (message-search.md 1.2). */
const CHAINS = {
  lexical: ['tantivy', 'fts5'],
  semantic: ['semantic', 'tantivy', 'fts5'],
  hybrid: ['hybrid', 'tantivy', 'fts5'],
  hybrid_rerank: ['hybrid_rerank', 'hybrid', 'tantivy', 'fts5'],
} satisfies Record<SearchMode, readonly EngineName[]>;

/** What each engine serves, by the word of the caller. */
const SERVES = { fts5: 'lexical', tantivy: 'lexical', semantic: 'semantic', hybrid: 'hybrid', hybrid_rerank: 'hybrid_rerank' } satisfies Record<
  EngineName,
  SearchMode
>;

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

/**
 * Which engines answer a mode, given the kill switch and what there is. FTS5 is the last resort of every chain.
 *
 * @param began the engine whose order is to be gone on with: FTS5 goes on also where Tantivy would begin, unless Tantivy was ordered
 */
export function routeOf(mode: SearchMode | null, killSwitch: KillSwitch, missing: Missing, began?: EngineTag): Route {
  const requested = mode ?? (killSwitch === 'hybrid' ? 'hybrid' : 'lexical');
  const shadow = killSwitch === 'shadow';
  if (killSwitch === 'fts5' || shadow) {
    const reasons = requested === 'lexical' ? [] : [`SEARCH_ENGINE is ${killSwitch}`];
    return { requested, engines: ['fts5'], reasons, shadow };
  }
  const chain: readonly EngineName[] = CHAINS[requested];
  const there = chain.filter((engine) => missing[engine] === undefined);
  const engines = began === 'fts5' && there[0] === 'tantivy' && killSwitch !== 'tantivy' ? there.slice(1) : there;
  // Whoever asks for lexical search gets it from FTS5 too, so that is no reason worth a word, unless Tantivy was ordered.
  const said = chain.slice(0, chain.indexOf(engines[0] ?? 'fts5')).filter((engine) => engine !== 'tantivy' || killSwitch === 'tantivy');
  return { requested, engines, reasons: said.map((engine) => `${engine}: ${missing[engine] ?? 'not there'}`), shadow };
}

export function modeOf(engine: EngineName): SearchMode {
  return SERVES[engine];
}
