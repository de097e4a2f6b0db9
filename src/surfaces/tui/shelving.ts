import { messageOf } from '../../core/errors.ts';
import type { ShelfStore } from '../../core/ports/screen-shelf.ts';
import { MAX_RECIPES, type Shelf } from '../../core/ports/screen-shelf.ts';
import { insert } from './model/edit.ts';
import { askedBy, linkOf } from './model/link.ts';
import { LONGEST_NAME, recipesInOrder, withoutRecipe, withPinTurned, withRecipe, withSearch, withUse } from './model/shelf.ts';
import type { TuiState } from './model/state.ts';

interface ShelvingDeps {
  readonly keeper: ShelfStore;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly state: () => TuiState;
  readonly set: (change: Partial<TuiState>) => void;
  readonly search: () => void;
}

export interface Shelving {
  /** Actions of keys, by the names in model/keys.ts. */
  readonly own: Readonly<Record<string, () => void>>;
  /** Notes a search that a person has looked at, once it is done. */
  note(): void;
  typeName(typed: string): void;
}

/** Recipes and past searches on the screen. A search that cannot be kept becomes a notice, and changes nothing else. */
export function createShelving({ keeper, now, state, set, search }: ShelvingDeps): Shelving {
  const tried = (work: Promise<Shelf | undefined>, then: (shelf: Shelf | undefined) => Partial<TuiState>): void =>
    void work.then(
      (shelf) => set(then(shelf)),
      (error: unknown) => set({ notice: `Not kept: ${messageOf(error)}` }),
    );
  const change = (step: (shelf: Shelf) => Shelf | undefined, then: Partial<TuiState> = {}): void =>
    tried(keeper.change(step), (shelf) =>
      shelf === undefined ? { notice: FULL } : { shelf, ...then, picked: Math.max(0, Math.min(state().picked, shelf.recipes.length - 1)) },
    );
  const open = (overlay: 'recipes' | 'history'): void => tried(keeper.read(), (shelf) => ({ ...(shelf && { shelf }), overlay, picked: 0, notice: undefined }));

  function load(): void {
    const { overlay, shelf, picked } = state();
    const recipe = overlay === 'recipes' ? recipesInOrder(shelf)[picked] : undefined;
    const link = recipe?.link ?? (overlay === 'history' ? shelf.history[picked]?.link : undefined);
    const asked = link === undefined ? undefined : askedBy(link);
    if (asked === undefined) return;
    if (recipe !== undefined) change((now_) => withUse(now_, recipe.name, now()));
    set({ ...asked, caret: asked.text.length, overlay: 'none', focus: 'results', notice: undefined });
    search();
  }

  function save(): void {
    const { naming } = state();
    const name = naming.text.trim();
    if (name === '') return;
    const link = linkOf(state());
    set({ overlay: 'none' });
    change((shelf) => withRecipe(shelf, { name, link }, now()), { notice: `Kept as ${name} (v shows the recipes).` });
  }

  const withPicked = (step: (shelf: Shelf, name: string) => Shelf): void => {
    const { shelf, picked } = state();
    const name = recipesInOrder(shelf)[picked]?.name;
    if (name !== undefined) change((before) => step(before, name));
  };

  return {
    own: {
      'save.open': () => {
        const text = state().text.trim().slice(0, LONGEST_NAME).toWellFormed();
        set({ overlay: 'save', naming: { text, caret: text.length }, notice: undefined });
      },
      'save.done': save,
      'recipes.open': () => open('recipes'),
      'history.open': () => open('history'),
      'pick.load': load,
      'pick.pin': () => withPicked(withPinTurned),
      'pick.remove': () => withPicked(withoutRecipe),
    },
    note() {
      const { found, text } = state();
      if (found === undefined || text.trim() === '') return;
      const results = Math.max(found.answer.explain?.matched_count ?? 0, found.results.length);
      change((shelf) => withSearch(shelf, { link: linkOf(state()), results, at: now() }));
    },
    typeName(typed) {
      const { naming } = state();
      const next = insert(naming, typed);
      if (next.text.length <= LONGEST_NAME) set({ naming: next });
    },
  };
}

const FULL = `There are ${MAX_RECIPES} recipes; remove one first (v, then d).`;
