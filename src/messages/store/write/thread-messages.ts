import type { IngestBatch } from '../../../core/ports/index.ts';
import type { Applied } from './engine.ts';

/** What the thread is started with. */
export interface WriterThreadData {
  readonly file: string;
}

export type ToWriter = { readonly kind: 'apply'; readonly batches: readonly IngestBatch[] } | { readonly kind: 'stop' };

/** One question at a time: the answers need no number. */
export type FromWriter =
  | { readonly kind: 'ready' }
  /** On the way: full text of so many rows is being made anew. */
  | { readonly kind: 'rebuilding'; readonly documents: number }
  | { readonly kind: 'applied'; readonly applied: Applied }
  | { readonly kind: 'failed'; readonly message: string };
