import type { SearchMode } from '../../contracts/index.ts';
import type { EngineName, EngineTag } from '../../core/ports/message-engine.ts';

/** What is known of an engine by its name, whether it is there or not. */
interface EngineFacts {
  /** What its cursors say of it. Engines with the same tag go on with each other's pages. */
  readonly tag: EngineTag;
  /** What it serves, by the word of the caller. */
  readonly mode: SearchMode;
  /** `words`: what matches substrings or filters alone is asked of FTS5, which always is there. */
  readonly matches: 'words' | 'all';
  /** Whether it has an index of beginnings of one letter, so that such a prefix need not be made a word. */
  readonly letters: boolean;
}

/**
 * The engines that there may be. A further one is a line here, its place in the chains of `planner.ts`, and a run of
 * `test/conformance/message-engine.ts`.
 */
export const ENGINES = {
  fts5: { tag: 'fts5', mode: 'lexical', matches: 'all', letters: false },
  tantivy: { tag: 'tantivy', mode: 'lexical', matches: 'words', letters: true },
  postgresql: { tag: 'postgresql', mode: 'lexical', matches: 'all', letters: false },
  semantic: { tag: 'hybrid', mode: 'semantic', matches: 'words', letters: false },
  hybrid: { tag: 'hybrid', mode: 'hybrid', matches: 'words', letters: false },
  hybrid_rerank: { tag: 'hybrid', mode: 'hybrid_rerank', matches: 'words', letters: false },
} satisfies Record<EngineName, EngineFacts>;

/** Whether an engine looks for words: a text that it cannot read is left to the next one of these, which is no other mode. */
export function isLexical(name: string): boolean {
  return Object.entries(ENGINES).some(([own, { mode }]) => own === name && mode === 'lexical');
}

/** Every tag once. */
export const ENGINE_TAGS: readonly EngineTag[] = [...new Set(Object.values(ENGINES).map(({ tag }) => tag))];

/** What this engine is. */
export function factsOf(name: EngineName): EngineFacts {
  return ENGINES[name];
}
