import type { ErrorCode } from '../../core/errors.ts';
import type { IndexOperations } from './task-index-engine.ts';

export type IndexOperation = keyof IndexOperations;

/** What the owner asks its thread: one operation by name. */
export type ToIndexThread =
  | { readonly kind: 'ask'; readonly id: number; readonly op: IndexOperation; readonly args: readonly unknown[] }
  | { readonly kind: 'stop' };

export type FromIndexThread =
  | { readonly kind: 'ready' }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly message: string }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'error'; readonly id: number; readonly code: ErrorCode; readonly message: string; readonly field: string | undefined };
