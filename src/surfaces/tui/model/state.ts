import type { SearchResponse, SearchResult } from '../../../contracts/index.ts';
import type { ProjectOrProduct } from '../../../core/ports/index.ts';
import { EMPTY_SHELF, type Shelf } from '../../../core/ports/screen-shelf.ts';
import { type Facets, NO_FACETS } from './facets.ts';

export const FOCUSES = ['query', 'results', 'preview'] as const;
export type Focus = (typeof FOCUSES)[number];

/** The last results, and what the search said about them. */
export interface Found {
  readonly results: readonly SearchResult[];
  /** The part of the answer that is about messages (or the one kind that was asked for). */
  readonly answer: SearchResponse;
  /** The words that were looked for. */
  readonly text: string;
  readonly next: string | undefined;
  /** Whether older rows were left out, so that the oldest may not be among these. */
  readonly partOfOldest: boolean;
}

export interface TuiState {
  readonly columns: number;
  readonly rows: number;
  readonly text: string;
  /** UTF-16 index into the text, between two characters. */
  readonly caret: number;
  readonly facets: Facets;
  readonly places: readonly ProjectOrProduct[];
  readonly focus: Focus;
  readonly overlay: 'none' | 'help' | 'explain' | 'link' | 'save' | 'recipes' | 'history';
  /** Kept and past searches, as last read. */
  readonly shelf: Shelf;
  /** The chosen row of the overlay that is a list. */
  readonly picked: number;
  /** The name under which a search is about to be kept. */
  readonly naming: { readonly text: string; readonly caret: number };
  /** The end of the last keeping, pinning or removing, as a sentence. */
  readonly notice: string | undefined;
  /** First line of the overlay that is seen. */
  readonly overlayTop: number;
  readonly found: Found | undefined;
  readonly searching: boolean;
  /** The reason why the last search failed. */
  readonly failure: string | undefined;
  readonly selected: number;
  /** First line of the preview that is seen; undefined: at the first match. */
  readonly scroll: number | undefined;
}

export function initialState(start: { readonly columns: number; readonly rows: number; readonly text: string; readonly facets?: Facets }): TuiState {
  return {
    facets: NO_FACETS,
    ...start,
    caret: start.text.length,
    shelf: EMPTY_SHELF,
    picked: 0,
    naming: { text: '', caret: 0 },
    notice: undefined,
    places: [],
    focus: 'query',
    overlay: 'none',
    overlayTop: 0,
    found: undefined,
    searching: false,
    failure: undefined,
    selected: 0,
    scroll: undefined,
  };
}

export function selectedResult({ found, selected }: TuiState): SearchResult | undefined {
  return found?.results[selected];
}
