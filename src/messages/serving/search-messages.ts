import type { EngineTag } from '../../core/ports/message-engine.ts';
import type { MessageSearch } from '../../core/ports/message-search.ts';
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

/** What the thread answers. */
export type SearchCalls = Pick<MessageSearch, 'search' | 'project' | 'product'>;
