import type { TuiState } from './state.ts';

/** Overlays of which a row can be chosen: one line for each. */
export const isList = (overlay: TuiState['overlay']): overlay is 'recipes' | 'history' => overlay === 'recipes' || overlay === 'history';

/** How many rows there are to choose from. */
export function rowsToPick({ overlay, shelf }: Pick<TuiState, 'overlay' | 'shelf'>): number {
  if (!isList(overlay)) return 0;
  return overlay === 'recipes' ? shelf.recipes.length : shelf.history.length;
}
