import { describe, expect, it } from 'vitest';
import { EMPTY_SHELF, MAX_HISTORY, MAX_RECIPES, type Shelf } from '../../../../../src/core/ports/screen-shelf.ts';
import { recipesInOrder, withoutRecipe, withRecipe, withSearch } from '../../../../../src/surfaces/tui/model/shelf.ts';

describe('what the screen keeps', () => {
  it('has a place for each name, pinned ones first, and no more than there is room for', () => {
    const kept = (shelf: Shelf, name: string, now: number): Shelf => withRecipe(shelf, { name, link: `/search?q=${name}` }, now) ?? expect.unreachable(name);
    let shelf = EMPTY_SHELF;
    for (let n = 0; n < MAX_RECIPES; n += 1) shelf = kept(shelf, `r${n}`, n);
    expect(withRecipe(shelf, { name: 'one more', link: '/search' }, 1)).toBeUndefined();
    shelf = kept(shelf, 'r7', 1000);
    expect([shelf.recipes.length, recipesInOrder(shelf)[0]?.name]).toEqual([MAX_RECIPES, 'r7']);
    expect(withRecipe(withoutRecipe(shelf, 'r7'), { name: 'one more', link: '/search' }, 1)?.recipes).toHaveLength(MAX_RECIPES);
  });

  it('remembers the newest searches, each once', () => {
    let shelf = EMPTY_SHELF;
    for (let at = 0; at < MAX_HISTORY + 50; at += 1) shelf = withSearch(shelf, { link: `/search?q=${at % (MAX_HISTORY + 5)}`, results: at, at });
    expect(shelf.history).toHaveLength(MAX_HISTORY);
    expect(new Set(shelf.history.map(({ link }) => link)).size).toBe(MAX_HISTORY);
    expect(shelf.history[0]).toEqual({ link: '/search?q=44', results: 249, at: 249 });
  });
});
