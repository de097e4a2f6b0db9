import type { ContentSearchOutcome } from '../../core/ports/index.ts';

/** What goes to the process of content searches; `id` is the sender's. */
export type ToProcess = { readonly type: 'search'; readonly id: number; readonly request: unknown } | { readonly type: 'abort'; readonly id: number };

/** What comes back: `ready` once, then an outcome for each search. */
export type FromProcess =
  | { readonly type: 'ready'; readonly facts: ContentProcessFacts }
  | { readonly type: 'outcome'; readonly id: number; readonly outcome: ContentSearchOutcome };

/** What the process has found when it started. */
export interface ContentProcessFacts {
  /** Version of the kernel's Landlock that confines it; 0: nothing does. */
  readonly landlock: number;
  /** The backend that it searches with, `ugrep@3.11.2`; absent when none was found. */
  readonly backend?: string;
  /** Why every search will fail. */
  readonly problem?: string;
}
