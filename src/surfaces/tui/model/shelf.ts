import { MAX_HISTORY, MAX_RECIPES, type PastSearch, type Recipe, type Shelf } from '../../../core/ports/screen-shelf.ts';

/** Changes of the shelf: kept and past searches, a link each (link.ts). All times are milliseconds since 1970. */

export const LONGEST_NAME = 80;

/** Recipes, pinned ones first, then those used or changed last, then by name. */
export function recipesInOrder({ recipes }: Shelf): readonly Recipe[] {
  const inOrder = (a: Recipe, b: Recipe): number => Number(b.pinned) - Number(a.pinned) || b.updated - a.updated || (a.name < b.name ? -1 : 1);
  return recipes.toSorted(inOrder);
}

/** The shelf with a search under a name, which replaces an older one of that name. `undefined`: there is no room. */
export function withRecipe(shelf: Shelf, { name, link }: Pick<Recipe, 'name' | 'link'>, now: number): Shelf | undefined {
  const old = shelf.recipes.find((recipe) => recipe.name === name);
  if (old === undefined && shelf.recipes.length >= MAX_RECIPES) return undefined;
  const recipe: Recipe = { pinned: false, uses: 0, created: now, ...old, name, link, updated: now };
  return { ...shelf, recipes: [...shelf.recipes.filter((one) => one !== old), recipe] };
}

export function withoutRecipe(shelf: Shelf, name: string): Shelf {
  return { ...shelf, recipes: shelf.recipes.filter((recipe) => recipe.name !== name) };
}

export function withPinTurned(shelf: Shelf, name: string): Shelf {
  return changed(shelf, name, (recipe) => ({ ...recipe, pinned: !recipe.pinned }));
}

export function withUse(shelf: Shelf, name: string, now: number): Shelf {
  return changed(shelf, name, (recipe) => ({ ...recipe, uses: recipe.uses + 1, updated: now }));
}

/** The shelf with a past search in front; the newest searches are kept, each once. */
export function withSearch(shelf: Shelf, past: PastSearch): Shelf {
  return { ...shelf, history: [past, ...shelf.history.filter(({ link }) => link !== past.link)].slice(0, MAX_HISTORY) };
}

function changed(shelf: Shelf, name: string, change: (recipe: Recipe) => Recipe): Shelf {
  return { ...shelf, recipes: shelf.recipes.map((recipe) => (recipe.name === name ? change(recipe) : recipe)) };
}
