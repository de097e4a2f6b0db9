import type { SearchQuery, SearchResponse } from '../../contracts/index.ts';
import type { EngineTag } from '../../core/ports/message-engine.ts';
import type { MessageSearch, MessageSearchEvent, SearchViewer } from '../../core/ports/message-search.ts';
import type { KillSwitch } from '../search/modes.ts';
import type { VectorSettings } from './models.ts';

/** Engines that hung, by what a cursor says of them, each with a sentence that says so. */
export type Hung = Readonly<Partial<Record<EngineTag, string>>>;

/** What the thread of message search is started with. */
export interface SearchThreadData {
  readonly file: string;
  /** The directory of Tantivy's index; `null`: there shall be none. */
  readonly tantivy: string | null;
  /** Where vectors are and what makes them; `null`: there shall be none. */
  readonly vectors: VectorSettings | null;
  readonly killSwitch: KillSwitch;
  /** Those that are not asked, not even loaded. */
  readonly hung: Hung;
  /** Where it says which engine it asks. */
  readonly atWork: SharedArrayBuffer;
}

/** What the thread answers, by the name of the question. */
export interface SearchThreadAnswers {
  readonly search: { readonly args: readonly [SearchQuery, SearchViewer]; readonly answer: SearchResponse };
  readonly project: { readonly args: readonly [string]; readonly answer: Awaited<ReturnType<MessageSearch['project']>> };
  readonly product: { readonly args: readonly [string]; readonly answer: Awaited<ReturnType<MessageSearch['product']>> };
}
export type SearchThreadOp = keyof SearchThreadAnswers;

export type ToSearchThread =
  | { [Op in SearchThreadOp]: { readonly kind: 'ask'; readonly id: number; readonly op: Op; readonly args: SearchThreadAnswers[Op]['args'] } }[SearchThreadOp]
  | { readonly kind: 'stop' };

export type FromSearchThread =
  | { readonly kind: 'answer'; readonly id: number; readonly value: SearchThreadAnswers[SearchThreadOp]['answer'] }
  | { readonly kind: 'error'; readonly id: number; readonly message: string }
  | { readonly kind: 'event'; readonly event: MessageSearchEvent };
