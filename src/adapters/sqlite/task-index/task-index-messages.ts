import type { ErrorCode } from '../../../core/errors.ts';
import type { IndexOperations, IndexOptions } from './task-index-engine.ts';
import type { IndexViews } from './task-index-view.ts';

/** The threads of the index, and what each answers. */
export interface IndexRoles {
  readonly write: IndexOperations;
  readonly read: IndexViews;
}
export type IndexRole = keyof IndexRoles;

/** What a thread is started with. */
export interface IndexThreadData {
  readonly role: IndexRole;
  readonly options: IndexOptions;
}

/** What the owner asks a thread: one operation by name. */
export type ToIndexThread = { readonly kind: 'ask'; readonly id: number; readonly op: string; readonly args: readonly unknown[] } | { readonly kind: 'stop' };

export type FromIndexThread =
  | { readonly kind: 'ready' }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly message: string }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'error'; readonly id: number; readonly code: ErrorCode; readonly message: string; readonly field: string | undefined };
