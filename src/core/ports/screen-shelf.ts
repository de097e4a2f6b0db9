/** Searches that a person keeps, and those that were done: a link each. All times are milliseconds since 1970. */

export interface Recipe {
  readonly name: string;
  readonly link: string;
  readonly pinned: boolean;
  /** How often it was loaded. */
  readonly uses: number;
  readonly created: number;
  readonly updated: number;
}

export interface PastSearch {
  readonly link: string;
  readonly results: number;
  readonly at: number;
}

export interface Shelf {
  readonly recipes: readonly Recipe[];
  /** The newest first. */
  readonly history: readonly PastSearch[];
}

export const EMPTY_SHELF: Shelf = { recipes: [], history: [] };

export const MAX_RECIPES = 200;
export const MAX_HISTORY = 200;

/** Keeps the searches of a person. */
export interface ShelfStore {
  read(): Promise<Shelf>;
  /**
   * Reads, changes and writes in one go; answers what stands there then. `undefined` from `change` changes nothing.
   *
   * @throws WritError STORAGE_UNAVAILABLE
   */
  change(change: (shelf: Shelf) => Shelf | undefined): Promise<Shelf | undefined>;
}
