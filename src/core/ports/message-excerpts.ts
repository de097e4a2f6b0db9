import type { EngineMatch, EngineRow } from './message-engine.ts';

/** A part of a text, in UTF-16 units; `end` is the first one behind it. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** What of a row is shown, and which parts of it are what somebody looked for. */
export interface Excerpt {
  /** Parts of the title. */
  readonly title_highlights: readonly Span[];
  /** A part of the body, `…` where it was cut. */
  readonly text: string;
  /** Parts of `text`. */
  readonly highlights: readonly Span[];
}

/** Excerpts of the rows of a page, by id. It knows these rows and nothing else. */
export type MakeExcerpts = (rows: readonly Pick<EngineRow, 'id' | 'title' | 'body'>[], match: EngineMatch) => ReadonlyMap<number, Excerpt>;
