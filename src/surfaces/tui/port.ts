import type { SearchQuery, SearchResponse } from '../../contracts/index.ts';
import type { ShelfStore } from '../../core/ports/screen-shelf.ts';

/** A project or product that a search can be narrowed to. */
export interface SearchPlace {
  readonly kind: 'project' | 'product';
  readonly id: number;
  /** Slug of a project, name of a product. */
  readonly name: string;
}

/** What the screen needs: the search that every surface has, and the places that there are. */
export interface MessageScreenServices {
  /** Never throws for what the query says; throws WritError STORAGE_UNAVAILABLE when there is no database. */
  search(query: SearchQuery): Promise<SearchResponse>;
  /** Projects and products by name, at most 1,000. */
  places(): Promise<readonly SearchPlace[]>;
  readonly shelf: ShelfStore;
}
