import type { SearchQuery, SearchResponse } from '../../contracts/index.ts';
import type { ProjectOrProduct } from '../../core/ports/index.ts';
import type { ShelfStore } from '../../core/ports/screen-shelf.ts';

/** The services of the screen: the search that every surface has, projects and products, and the shelf. */
export interface MessageScreenServices {
  /** Never throws for what the query says; throws WritError STORAGE_UNAVAILABLE when there is no database. */
  search(query: SearchQuery): Promise<SearchResponse>;
  /** Projects and products by name, at most 1,000. */
  places(): Promise<readonly ProjectOrProduct[]>;
  readonly shelf: ShelfStore;
}
